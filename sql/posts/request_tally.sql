-- A queued tally counts what is committed when it starts. At its end, a tally looks for open transactions that are
-- older than itself, and queues another tally if there are any. So a change is left over only if the transaction
-- that queues the job fails; then the schedule, which runs every five minutes, counts it.
create or replace function darkroom.request_tally() returns void
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    of_lane smallint;
begin
    if exists (select from darkroom.jobs j where j.kind = 'tally' and j.dedupe_key = 0) then
        return;
    end if;
    -- The transaction that queues the job may take long to commit, so the others do not wait for it.
    if not pg_try_advisory_xact_lock(hashtextextended('darkroom.request_tally', 0)) then
        return;
    end if;
    of_lane := darkroom.lane_of('default', 'tally', -20);
    insert into darkroom.jobs (
        kind, lane, slot, subject_id, fair_key, fair_hash, run_at, waits_for, is_paced, dedupe_key)
    values ('tally', of_lane, 0, 0, 'tally', hashtextextended('tally', 0),
            clock_timestamp() + interval '0.5 seconds', 'time', true, 0)
    on conflict do nothing;
    perform darkroom.announce_due(clock_timestamp() + interval '0.5 seconds');
end $$;
comment on function darkroom.request_tally is
    'Queues the tally job, which adds up the changes, unless it is queued already. It runs half a second later, so '
    'that many changes share it.';
