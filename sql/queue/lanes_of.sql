create or replace function darkroom.lanes_of(in_queue text, of_kind text) returns smallint[]
language plpgsql stable as $$
begin
    if in_queue is not null and not exists (select from darkroom.queues where name = in_queue) then
        raise exception using errcode = 'no_data_found', message = format('there is no queue %L', in_queue),
            hint = format('The queues are: %s.', (select string_agg(name, ', ' order by name) from darkroom.queues));
    end if;
    return array(
        select l.lane from darkroom.lanes l
        where l.queue = coalesce(in_queue, l.queue) and l.kind = coalesce(of_kind, l.kind));
end $$;
comment on function darkroom.lanes_of is 'The lanes of a queue, of a kind, or of a kind in a queue. Errors: P0002.';
