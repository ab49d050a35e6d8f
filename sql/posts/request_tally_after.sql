-- A transaction that relied on the tally may commit after the tally's last look. Without another tally, its changes
-- would wait for the next vote or the schedule.
create or replace function darkroom.request_tally_after(start bigint) returns void
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    -- Transaction numbers are unique on the server, so the sessions tell which belong to other databases.
    is_awaited boolean := pg_snapshot_xmin(pg_current_snapshot())::text::bigint < start and exists (
        select from pg_locks l join pg_stat_activity a using (pid)
        where l.locktype = 'transactionid' and l.mode = 'ExclusiveLock' and l.granted
          and a.datid = (select oid from pg_database where datname = current_database())
          and l.transactionid::text::bigint < (start & 4294967295));
begin
    -- A separate statement, so that it sees the changes of transactions that had just ended.
    if is_awaited or exists (select from darkroom.counter_changes) or exists (select from darkroom.map_changes)
       or exists (select from darkroom.outbox where number is null)
    then
        perform darkroom.request_tally();
    end if;
end $$;
comment on function darkroom.request_tally_after is
    'Queues another tally if there is something to count, or if a transaction of this database that began before '
    'start, the first free number at that time, is still open.';
