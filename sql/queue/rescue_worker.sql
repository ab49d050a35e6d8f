create or replace function darkroom.rescue_worker(of_worker bigint, heartbeats_seen bigint)
returns table (job_id bigint, is_quarantined boolean)
language plpgsql set enable_seqscan = off set jit = off set lock_timeout = '1s' as $$
#variable_conflict use_variable
declare
    heard bigint;
begin
    -- The row lock makes this and a late heartbeat or claim take turns: the second sees the first.
    select w.heartbeats into heard from darkroom.workers w where w.worker_id = of_worker for update skip locked;
    if found and heard <> heartbeats_seen or not found and exists (select from darkroom.workers w where w.worker_id = of_worker) then
        return;
    end if;
    return query
        select t.job_id, t.is_quarantined from darkroom.take_back_leases(
            of_worker, (of_worker + 1 << 36) - 1, '{}', '{}', 'crashed', 'worker_died',
            format('Worker %s died or was cut off.', of_worker)) t;
    -- A worker that still holds a job stays, so that somebody looks again.
    with gone as (
        delete from darkroom.workers w
        where w.worker_id = of_worker
          and not exists (select from darkroom.leases l
                          where l.lease between of_worker << 36 and (of_worker + 1 << 36) - 1)
        returning w.worker_id, w.drain_requested),
    forgotten as (
        delete from darkroom.drained_workers d where d.rescued_at < clock_timestamp() - interval '7 days')
    insert into darkroom.drained_workers (worker_id) select g.worker_id from gone g where g.drain_requested;
end $$;
comment on function darkroom.rescue_worker is
    'Takes back the jobs of a worker that is dead, and removes the worker. Does nothing if its heartbeats are more than '
    'heartbeats_seen by now. A worker without a row is dead. Jobs that somebody has locked are left for the next call.';
