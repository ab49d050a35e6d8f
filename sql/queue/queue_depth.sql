-- May be called by: api, reader
-- Example:
--   select darkroom.queue_depth('default')
create or replace function darkroom.queue_depth(queue darkroom.queue_name default null) returns bigint
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_sort = off
set jit = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
    most constant bigint := 10000;
    ready bigint;
    due   bigint;
begin
    select count(*) into ready
    from (select from darkroom.lanes l
          cross join lateral (select from darkroom.jobs j where j.lane = l.lane and j.waits_for is null order by j.slot limit most) j
          where (queue_depth.queue is null or l.queue = queue_depth.queue) and not darkroom.is_paused(l.queue, l.kind)
          limit most) j;
    -- Without a worker nobody makes them ready.
    select count(*) into due
    from (select lane from darkroom.jobs where waits_for = 'time' and run_at <= clock_timestamp() order by run_at limit most) j
    join darkroom.lanes l on l.lane = j.lane
    where (queue_depth.queue is null or l.queue = queue_depth.queue) and not darkroom.is_paused(l.queue, l.kind);
    return least(ready + due, most);
end $$;
comment on function darkroom.queue_depth is
    'How many jobs of a queue, or of all, run or could run now, for an autoscaler. It counts to 10,000, so that a long queue costs '
    'no more to look at; that is also the largest result. Jobs that are paused, parked or due later do not count. 0 for a queue '
    'that does not exist.';
