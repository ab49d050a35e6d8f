-- Between the tally's last look and this one, whoever had counted on the tally may have ended. Such changes lay there
-- until somebody else voted, or the schedule came.
create or replace function darkroom.request_tally_after(start bigint) returns void
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    -- Numbers of transactions are unique for the server, so those of other databases are left out by their sessions.
    is_awaited boolean := pg_snapshot_xmin(pg_current_snapshot())::text::bigint < start and exists (
        select from pg_locks l join pg_stat_activity a using (pid)
        where l.locktype = 'transactionid' and l.mode = 'ExclusiveLock' and l.granted
          and a.datid = (select oid from pg_database where datname = current_database())
          and l.transactionid::text::bigint < (start & 4294967295));
begin
    -- A statement of its own: it sees what those have left that were not under way any more just now.
    if is_awaited or exists (select from darkroom.counter_changes) or exists (select from darkroom.map_changes)
       or exists (select from darkroom.outbox where number is null)
    then
        perform darkroom.request_tally();
    end if;
end $$;
comment on function darkroom.request_tally_after is
    'Queues another tally where there is something to count again, or a transaction of this database that began '
    'before start, the first number that was free then, is still under way.';
