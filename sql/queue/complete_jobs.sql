create or replace function darkroom.complete_jobs(job_ids bigint[], leases bigint[]) returns integer[]
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
declare
    ended integer;
    keys  bigint[];
    stale integer[];
begin
    if leases[1] = all (leases) then
        with done as (
            delete from darkroom.jobs j where j.job_id = any (job_ids) and j.lease = leases[1] returning *),
        kept as (
            insert into darkroom.finished_jobs (
                job_id, kind, state, lane, subject_id, fair_key, attempt, failures, crashes,
                lease, worker_id, created_at, started_at, finished_at)
            select job_id, kind, 'succeeded', lane, subject_id, fair_key, attempt, failures, crashes,
                   lease, worker_id, created_at, leased_at, clock_timestamp()
            from done)
        select count(*), array_agg(running_key) filter (where running_key is not null) into ended, keys from done;
    else
        with done as (
            delete from darkroom.jobs j using unnest(job_ids, leases) as l (job_id, lease)
            where j.job_id = l.job_id and j.lease = l.lease returning j.*),
        kept as (
            insert into darkroom.finished_jobs (
                job_id, kind, state, lane, subject_id, fair_key, attempt, failures, crashes,
                lease, worker_id, created_at, started_at, finished_at)
            select job_id, kind, 'succeeded', lane, subject_id, fair_key, attempt, failures, crashes,
                   lease, worker_id, created_at, leased_at, clock_timestamp()
            from done)
        select count(*), array_agg(running_key) filter (where running_key is not null) into ended, keys from done;
    end if;
    if keys is not null then
        perform darkroom.unpark(keys);
    end if;
    if ended < cardinality(job_ids) then
        select array_agg(l.number) into stale
        from unnest(job_ids, leases) with ordinality as l (job_id, lease, number)
        where not exists (select from darkroom.finished_jobs f where f.job_id = l.job_id and f.lease = l.lease);
    end if;
    return coalesce(stale, '{}');
end $$;
comment on function darkroom.complete_jobs is
    'Ends attempts as succeeded and moves their jobs to history. Answers the places, from 1, of the leases that are '
    'no longer their job''s, for which nothing was done.';
