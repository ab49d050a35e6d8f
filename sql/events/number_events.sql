create or replace function darkroom.number_events(at_most integer default 10000) returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    last  bigint;
    given integer;
begin
    -- Takes the lock before the statement whose snapshot decides, so that the next caller sees what this one numbered.
    perform pg_advisory_xact_lock(hashtextextended('darkroom.number_events', 0));
    last := coalesce(pg_sequence_last_value('darkroom.event_numbers'), 0);
    with fresh as (
        select o.event_id, row_number() over (order by o.event_id) as place
        from (select event_id from darkroom.outbox where number is null order by event_id limit at_most) o)
    update darkroom.outbox o set number = last + f.place from fresh f where o.event_id = f.event_id;
    get diagnostics given = row_count;
    if given > 0 then
        perform setval('darkroom.event_numbers', last + given);
    end if;
    return given;
end $$;
comment on function darkroom.number_events is
    'Gives up to at_most committed events their places in the reading order. Returns how many. Called by the tally job '
    'and not by readers: a reader''s transaction may take long and would hold up all others.';
