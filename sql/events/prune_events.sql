create or replace function darkroom.prune_events(at_most integer default 10000) returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    removed integer;
begin
    with old as (
        select o.event_id from darkroom.outbox o
        where o.number is not null and o.occurred_at < now() - make_interval(days => (select event_days from darkroom.settings))
        order by o.number limit at_most for update skip locked)
    delete from darkroom.outbox o using old where o.event_id = old.event_id;
    get diagnostics removed = row_count;
    return removed;
end $$;
comment on function darkroom.prune_events is
    'Removes up to at_most events older than settings.event_days, read or not. Returns how many.';
