-- Has no settings of its own, so that it becomes a part of the statements that use it.
create or replace function darkroom.leased_jobs(of_lease bigint, job_ids bigint[]) returns setof bigint
language sql stable as $$
    -- The jobs of a claim usually have numbers close to each other. Then one look at a range of the index is enough.
    select j.job_id from darkroom.jobs j
    where job_ids[cardinality(job_ids)] - job_ids[1] < 4 * cardinality(job_ids)
      and j.job_id between job_ids[1] and job_ids[cardinality(job_ids)] and j.lease = of_lease
    union all
    select i.job_id from unnest(job_ids) as i (job_id)
    where job_ids[cardinality(job_ids)] - job_ids[1] >= 4 * cardinality(job_ids)
      and (select j.lease from darkroom.jobs j where j.job_id = i.job_id) = of_lease
$$;
comment on function darkroom.leased_jobs is 'Those of the jobs, which must be in the order of their numbers, that have the lease.';
