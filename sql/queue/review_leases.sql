create or replace function darkroom.review_leases(
    of_worker      bigint,
    up_to          bigint,
    running_jobs   bigint[],
    running_leases bigint[],
    stages         text[]
) returns table (returned bigint[], cancelled integer[], lost integer[])
language plpgsql set enable_seqscan = off set jit = off set lock_timeout = '1s' as $$
#variable_conflict use_variable
begin
    -- If a crash of the server undoes this, the next review does it again.
    perform set_config('synchronous_commit', 'off', true);
    returned := array(
        select t.job_id from darkroom.take_back_leases(
            of_worker, up_to, running_jobs, running_leases, 'returned', 'not_running',
            format('Worker %s held the job but did not run it any more.', of_worker)) t
        order by 1);
    update darkroom.jobs j set stage = m.stage
    from (select o.tid, s.stage
          from unnest(running_jobs, running_leases, stages) as s (job_id, lease, stage)
          cross join lateral (
              select o.ctid as tid from darkroom.jobs o
              where o.job_id = s.job_id and o.lease = s.lease and o.stage is distinct from s.stage
              for update skip locked) o) m
    where j.ctid = m.tid;
    select coalesce(array_agg(m.number) filter (where j.cancel_requested), '{}'),
           coalesce(array_agg(m.number) filter (where j.job_id is null), '{}')
    into cancelled, lost
    from unnest(running_jobs, running_leases) with ordinality as m (job_id, lease, number)
    left join lateral (
        select j.job_id, j.cancel_requested from darkroom.jobs j
        where j.job_id = m.job_id and j.lease = m.lease limit 1) j on true
    where j.job_id is null or j.cancel_requested;
    -- Not while a claim holds the worker's row. Under this lock no other begins, so the next statement sees every lease.
    perform from darkroom.workers w
    where w.worker_id = of_worker and w.first_lease + 250 <= up_to
      and not exists (select from darkroom.leases l
                      where l.lease between greatest(w.first_lease, of_worker << 36) and w.first_lease + 249)
    for update skip locked;
    if found then
        update darkroom.workers w
        set first_lease = coalesce((select min(l.lease) from darkroom.leases l
                                    where l.lease between greatest(w.first_lease, of_worker << 36) and up_to), up_to + 1)
        where w.worker_id = of_worker;
    end if;
    return next;
end $$;
comment on function darkroom.review_leases is
    'Compares what a worker runs with what it holds. Every job that it holds under a lease up to up_to, the last claim '
    'whose end it knows, and that is not among running_jobs with running_leases, waits again. Writes the stages of the '
    'running jobs. Returns the jobs that it took back, and the positions, from 1, of running jobs that somebody cancelled '
    'and of those whose lease is lost.';
