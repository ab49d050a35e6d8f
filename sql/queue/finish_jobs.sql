-- The only writer of finished_jobs.
create or replace function darkroom.finish_jobs(
    job_ids bigint[],
    leases  bigint[],
    state   darkroom.job_state,
    reason  text default null,
    message text default null,
    cause   text default null,
    verdict text default null,
    stages  darkroom.stage_time[] default null,
    failures integer default 0,
    crashes integer default 0,
    deaths integer default 0
) returns integer[]
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_variable
declare
    -- A worker's claim gives all its jobs one lease, and a waiting job has none. Comparing with one is faster than by pairs.
    has_one_lease boolean := leases is null or leases[1] = all (leases);
    ended        bigint[];
    ended_leases bigint[];
    keys         bigint[];
begin
    if cardinality(leases) <> cardinality(job_ids) or array_position(leases, null) is not null then
        raise exception using errcode = 'invalid_parameter_value', message = 'job_ids and leases do not match',
            hint = 'Give one lease for each job, or null for jobs that wait.';
    end if;
    with done as (
        delete from darkroom.jobs j
        where j.job_id = any (job_ids)
          and (has_one_lease and j.lease is not distinct from leases[1]
               or not has_one_lease and (j.job_id, j.lease) in (select * from unnest(job_ids, leases)))
        returning j.*),
    kept as (
        insert into darkroom.finished_jobs (
            job_id, kind, state, lane, subject_id, fair_key, attempt, failures, crashes, deaths, lease,
            reason, message, cause, verdict, stages, created_at, started_at, finished_at)
        select d.job_id, d.kind, state, d.lane, d.subject_id, d.fair_key, d.attempt, d.failures + failures, d.crashes + crashes,
               d.deaths + deaths, d.lease, reason, message, cause, verdict, stages, d.created_at, d.leased_at, clock_timestamp()
        from done d)
    select array_agg(d.job_id), array_agg(d.lease), array_agg(d.running_key) filter (where d.running_key is not null)
    into ended, ended_leases, keys from done d;
    if keys is not null then
        perform darkroom.unpark(keys);
    end if;
    if state = 'rejected' then
        -- A replay that is rejected again tells the uploader nothing new.
        insert into darkroom.outbox (event, job_id, upload_id, reason)
        select 'rejected', f.job_id, f.subject_id, f.reason from darkroom.finished_jobs f
        where f.job_id = any (ended) and f.finished_at > now() - interval '1 day' and darkroom.ingests(f.kind)
          and not exists (select from darkroom.replays r where r.job_id = f.job_id and r.from_state = 'rejected')
        order by f.job_id;
    end if;
    if cardinality(ended) = cardinality(job_ids) then
        return '{}';
    end if;
    return array(
        select g.number from unnest(job_ids, leases) with ordinality as g (job_id, lease, number)
        where not exists (select from unnest(ended, ended_leases) as e (job_id, lease)
                          where e.job_id = g.job_id and e.lease is not distinct from g.lease)
        order by g.number);
end $$;
comment on function darkroom.finish_jobs is
    'Moves jobs to history: those that run under the given leases or, if leases is null, those that wait. state is how '
    'they finished; failures, crashes and deaths are added to the jobs'' own. Returns the positions, from 1, of the jobs that '
    'were left alone because the lease is no longer the job''s or the job does not wait. The first rejection of an upload '
    'is told as an event. Errors: '
    '22023 for leases that do not match job_ids.';
