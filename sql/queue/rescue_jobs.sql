-- Takes back the jobs of workers that died. A job whose crashes are used up is quarantined.
create or replace function darkroom.rescue_jobs(lease_seconds double precision)
returns table (job_id bigint, worker_id bigint, is_quarantined boolean)
language plpgsql as $$
#variable_conflict use_column
declare
    dead bigint[];
begin
    -- The row lock decides between a late heartbeat or claim and this: whoever comes second sees the first.
    dead := array(
        select w.worker_id from darkroom.workers w
        where w.heartbeat_at < clock_timestamp() - make_interval(secs => lease_seconds)
        for update skip locked);
    if cardinality(dead) = 0 then
        return;
    end if;
    return query
        with orphans as (
            select j.ctid as tid, j.*,
                   coalesce((select p.max_crashes from darkroom.kind_policies p where p.kind = j.kind), 3)
                       <= j.crashes + 1 as poisonous
            from darkroom.jobs j where j.worker_id = any (dead) for update),
        lost as (
            insert into darkroom.job_attempts (
                job_id, attempt, lease, worker_id, outcome, reason, message, started_at, ended_at)
            select o.job_id, o.attempt, o.lease, o.worker_id, 'crashed', 'worker_died',
                   format('Worker %s died or was cut off%s.', o.worker_id, ' while ' || o.stage), o.leased_at, clock_timestamp()
            from orphans o where not o.poisonous),
        back as (
            update darkroom.jobs j
            set lease = null, worker_id = null, leased_at = null, running_key = null, stage = null,
                crashes = (j.crashes + 1)::smallint, slot = greatest(j.slot, darkroom.virtual_time(j.lane))
            from orphans o where j.ctid = o.tid and not o.poisonous),
        gone as (
            delete from darkroom.jobs j using orphans o where j.ctid = o.tid and o.poisonous),
        kept as (
            insert into darkroom.finished_jobs (
                job_id, kind, state, lane, subject_id, fair_key, attempt, failures, crashes, lease, worker_id,
                reason, message, created_at, started_at, finished_at)
            select o.job_id, o.kind, 'failed', o.lane, o.subject_id, o.fair_key, o.attempt, o.failures,
                   o.crashes + 1, o.lease, o.worker_id, 'poison',
                   format('The job took its worker or renderer down %s times and is quarantined. The last time: '
                          'Worker %s died or was cut off%s.', o.crashes + 1, o.worker_id, ' while ' || o.stage),
                   o.created_at, o.leased_at, clock_timestamp()
            from orphans o where o.poisonous)
        select o.job_id, o.worker_id, o.poisonous from orphans o order by o.job_id;
    delete from darkroom.workers w where w.worker_id = any (dead);
end $$;
comment on function darkroom.rescue_jobs is
    'Takes back the jobs of workers that were not heard of for lease_seconds, counts a crash for each, and removes '
    'the workers.';
