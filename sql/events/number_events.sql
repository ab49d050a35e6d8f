create or replace function darkroom.number_events(at_most integer default 10000) returns integer
language plpgsql set enable_seqscan = off set jit = off set lock_timeout = '2s' as $$
declare
    last  bigint;
    given integer;
    at    timestamptz;
begin
    -- Takes the lock before the statement whose snapshot decides, so that the next caller sees what this one numbered.
    perform darkroom.take_lock('number_events');
    at := clock_timestamp();
    last := coalesce(pg_sequence_last_value('darkroom.event_numbers'), 0);
    with fresh as (
        delete from darkroom.outbox where event_id in (
            select event_id from darkroom.outbox order by event_id limit at_most)
        returning *)
    insert into darkroom.event_log (
        number, post_id, event, occurred_at, numbered_at, comment_id, job_id, upload_id, reason, likes)
    select last + row_number() over (order by f.event_id), f.post_id, f.event, f.occurred_at, at, f.comment_id, f.job_id,
           f.upload_id, f.reason, f.likes
    from fresh f;
    get diagnostics given = row_count;
    if given > 0 then
        perform setval('darkroom.event_numbers', last + given);
    end if;
    return given;
end $$;
comment on function darkroom.number_events is
    'Gives up to at_most committed events their places in the reading order. Returns how many. Called by the tally job '
    'and not by readers: a reader''s transaction may take long and would hold up all others.';
