create or replace function darkroom.pause_queue(in_queue text, of_kind text, by_whom text, drain boolean default false)
returns void
language plpgsql as $$
begin
    perform darkroom.lanes_of(in_queue, of_kind);
    insert into darkroom.pauses as p (queue, kind, drains, paused_by)
    values (in_queue, of_kind, drain, by_whom)
    on conflict (queue, kind) do update
    set drains = excluded.drains, paused_by = excluded.paused_by, paused_at = excluded.paused_at
    where p.drains <> excluded.drains;
end $$;
comment on function darkroom.pause_queue is
    'Pauses a queue (kind null), a kind (queue null) or a kind in a queue: from the next claim on, none of its jobs '
    'start. With drain, the jobs that are already there still run and later ones are parked.';
