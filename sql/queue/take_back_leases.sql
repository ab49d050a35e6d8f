create or replace function darkroom.take_back_leases(
    of_worker      bigint,
    up_to          bigint,
    running_jobs   bigint[],
    running_leases bigint[],
    outcome        darkroom.attempt_outcome,
    reason         text,
    message        text
) returns table (job_id bigint, is_quarantined boolean)
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
#variable_conflict use_variable
declare
    -- What takes back all that a worker holds relies on nothing that its reviews have noted.
    first    bigint := coalesce((select w.first_lease from darkroom.workers w
                                 where w.worker_id = of_worker and up_to < (of_worker + 1 << 36) - 1), 0);
    has_died boolean := outcome = 'crashed';
    claim    record;
    held     bigint[];
    kept     bigint[];
    gone     bigint[] := '{}';
    one      record;
    policy   darkroom.kind_policies;
    why      text;
begin
    first := greatest(first, of_worker << 36);
    for claim in
        select l.lease, l.job_ids, array(select darkroom.leased_jobs(l.lease, l.job_ids)) as held
        from darkroom.leases l where l.lease between first and up_to
    loop
        kept := '{}';
        if claim.lease = any (running_leases) then
            kept := array(select r.job_id from unnest(running_jobs, running_leases) as r (job_id, lease)
                          where r.lease = claim.lease and r.job_id = any (claim.held) order by 1);
        end if;
        held := claim.held;
        foreach job_id in array held loop
            continue when job_id = any (kept);
            -- A job that somebody else has locked keeps its lease until the next call: it must not hold up the others.
            select j.kind, j.stage, j.deaths, j.cancel_requested into one from darkroom.jobs j
            where j.job_id = job_id and j.lease = claim.lease for update skip locked;
            if not found then
                kept := kept || job_id;
                continue;
            end if;
            why := message || coalesce(' The job''s stage was ' || one.stage || '.', '');
            is_quarantined := false;
            if has_died then
                select * into policy from darkroom.kind_policies p where p.kind = one.kind;
                is_quarantined := not one.cancel_requested and one.deaths + 1 >= coalesce(policy.max_deaths, 8);
            end if;
            if is_quarantined then
                perform darkroom.finish_jobs(
                    array[job_id], array[claim.lease], 'failed', 'poison',
                    format('The job is quarantined, because %s workers died while they ran it, and in all but the first it was '
                           'the only suspect. The last time: %s', one.deaths + 1, why), deaths => 1);
            else
                -- A suspect that was there when another worker died runs later each time.
                perform darkroom.return_job(
                    job_id, claim.lease, outcome, reason, why, deaths => has_died::integer,
                    -- Numbers, because an interval would overflow before the cap applies.
                    delay => case when has_died and one.deaths > 0 then make_interval(secs => least(
                        extract(epoch from coalesce(policy.backoff_base, '2 seconds'))::float8 * 2 ^ (one.deaths - 1),
                        extract(epoch from coalesce(policy.backoff_cap, '15 minutes'))::float8)) end);
            end if;
            return next;
        end loop;
        if kept = '{}' then
            gone := gone || claim.lease;
        elsif 2 * cardinality(kept) < cardinality(claim.job_ids) then
            -- So that the jobs that have ended are not looked for again.
            update darkroom.leases l set job_ids = array(select k from unnest(kept) k order by 1) where l.lease = claim.lease;
        end if;
    end loop;
    delete from darkroom.leases l where l.lease = any (gone);
end $$;
comment on function darkroom.take_back_leases is
    'Takes back every job that a worker holds under leases up to up_to and does not run: running_jobs and running_leases '
    'say what it runs. Forgets claims of which nothing is left. With the outcome crashed, the worker died: each of its '
    'jobs becomes a suspect, a suspect waits longer each time, and is quarantined when it has used up its deaths. Returns '
    'the jobs.';
