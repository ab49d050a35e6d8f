create or replace function darkroom.take_back_leases(
    of_worker      bigint,
    up_to          bigint,
    running_jobs   bigint[],
    running_leases bigint[],
    outcome        darkroom.attempt_outcome,
    reason         text,
    message        text
) returns table (job_id bigint, is_quarantined boolean)
language plpgsql set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    first   bigint := coalesce((select w.first_lease from darkroom.workers w where w.worker_id = of_worker), of_worker << 36);
    has_died boolean := outcome = 'crashed';
    one     record;
    policy  darkroom.kind_policies;
    why     text;
begin
    first := greatest(first, of_worker << 36);
    for one in
        -- A job that somebody else has locked keeps its lease until the next call: one such job must not hold up the
        -- others.
        select j.*
        from darkroom.leases l
        cross join lateral unnest(l.job_ids) as i (job_id)
        cross join lateral (
            select j.job_id, j.lease, j.kind, j.stage, j.deaths from darkroom.jobs j
            where j.job_id = i.job_id and j.lease = l.lease for update skip locked) j
        where l.lease between first and up_to
          and not exists (select from unnest(running_jobs, running_leases) as r (job_id, lease)
                          where r.job_id = i.job_id and r.lease = l.lease)
    loop
        why := message || coalesce(' The job''s stage was ' || one.stage || '.', '');
        is_quarantined := false;
        if has_died then
            select * into policy from darkroom.kind_policies p where p.kind = one.kind;
            is_quarantined := one.deaths + 1 >= coalesce(policy.max_deaths, 8);
        end if;
        if is_quarantined then
            why := format('The job is quarantined, because %s workers died while they ran it, and in all but the first it was the '
                          'only suspect. The last time: %s', one.deaths + 1, why);
            continue when darkroom.finish_jobs(
                array[one.job_id], array[one.lease], 'failed', 'poison', why, deaths => 1) <> '{}';
        else
            -- A suspect that was there when another worker died runs later each time.
            continue when not darkroom.return_job(
                one.job_id, one.lease, outcome, reason, why, deaths => has_died::integer,
                delay => case when has_died and one.deaths > 0 then least(
                    coalesce(policy.backoff_base, interval '2 seconds') * 2 ^ (one.deaths - 1),
                    coalesce(policy.backoff_cap, interval '15 minutes')) end);
        end if;
        job_id := one.job_id;
        return next;
    end loop;
    delete from darkroom.leases l
    where l.lease between first and up_to
      and (select true from unnest(l.job_ids) as i (job_id)
           cross join lateral (select from darkroom.jobs j where j.job_id = i.job_id and j.lease = l.lease limit 1) j
           limit 1) is null;
end $$;
comment on function darkroom.take_back_leases is
    'Takes back every job that a worker holds under leases up to up_to and does not run: running_jobs and running_leases '
    'say what it runs. With the outcome crashed, the worker died: each of its jobs becomes a suspect, a suspect waits '
    'longer each time, and is quarantined when it has used up its deaths. Returns the jobs.';
