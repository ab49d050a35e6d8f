-- A tally that is queued starts after what is committed by then. One that has started looks at its end for
-- transactions that are older than itself and have not ended, and has another follow if there are any; so a change
-- can be left only by the one who failed to queue a job, and the schedule comes every five minutes.
create or replace function darkroom.request_tally() returns void
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    of_lane smallint;
begin
    if exists (select from darkroom.jobs j where j.kind = 'tally' and j.dedupe_key = 0) then
        return;
    end if;
    -- Whoever queues the job may take long to commit: the others do not wait for that.
    if not pg_try_advisory_xact_lock(hashtextextended('darkroom.request_tally', 0)) then
        return;
    end if;
    of_lane := darkroom.lane_of('default', 'tally', -20);
    insert into darkroom.jobs (
        kind, lane, slot, subject_id, fair_key, fair_hash, run_at, waits_for, is_paced, dedupe_key)
    values ('tally', of_lane, darkroom.next_slot(of_lane, 'tally'), 0, 'tally', hashtextextended('tally', 0),
            clock_timestamp() + interval '0.5 seconds', 'time', true, 0)
    on conflict do nothing;
    perform darkroom.wake_workers();
end $$;
comment on function darkroom.request_tally is
    'Queues the job that adds up what has changed, half a second from now so that many changes share it, unless it is'
    ' queued.';
