-- May be called by: api, reader
-- Example:
--   select darkroom.oldest_waiting_s('default')
create or replace function darkroom.oldest_waiting_s(queue darkroom.queue_name default null) returns double precision
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set jit = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
    since timestamptz;
begin
    select least(
        (select min(j.ready_at)
         from darkroom.lanes l
         -- A key's oldest job is its first in the lane, so the oldest of all is among the first as long as 1,000 keys wait.
         cross join lateral (
             select greatest(j.run_at, j.created_at) as ready_at from darkroom.jobs j
             where j.lane = l.lane and j.waits_for is null and j.lease is null order by j.slot limit 1000) j
         where (oldest_waiting_s.queue is null or l.queue = oldest_waiting_s.queue) and not darkroom.is_paused(l.queue, l.kind)),
        (select min(j.run_at)
         from (select lane, run_at from darkroom.jobs
               where waits_for = 'time' and run_at <= clock_timestamp() order by run_at limit 1000) j
         join darkroom.lanes l on l.lane = j.lane
         where (oldest_waiting_s.queue is null or l.queue = oldest_waiting_s.queue) and not darkroom.is_paused(l.queue, l.kind)))
    into since;
    return coalesce(greatest(0, extract(epoch from clock_timestamp() - since)), 0);
end $$;
comment on function darkroom.oldest_waiting_s is
    'For how many seconds the job of a queue, or of all, that could run and has waited longest has been ready, for an autoscaler; '
    '0 if none waits. Jobs that are paused, parked or due later do not count. It looks at the first 1,000 waiting jobs of each lane (kind '
    'and priority of a queue), which have the oldest job of each uploader as long as fewer than 1,000 uploaders wait. With more, '
    'the result may be too low.';
