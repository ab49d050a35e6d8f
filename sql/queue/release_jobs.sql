create or replace function darkroom.release_jobs(job_ids bigint[], released_by text, why text default null) returns bigint[]
language sql set enable_seqscan = off set jit = off as $$
    select coalesce(array_agg(h.job_id order by h.job_id) filter (where darkroom.return_job(
               h.job_id, h.lease, 'returned', 'released', format('Released by %s%s.', released_by, ': ' || why))), '{}')
    from (select j.job_id, j.lease from darkroom.jobs j
          where j.job_id = any (job_ids) and j.lease is not null order by j.job_id) h
$$;
comment on function darkroom.release_jobs is
    'Takes running jobs from their workers and makes them wait again. A worker that really runs one stops it within a '
    'second, and cannot write its end. Returns the jobs that ran.';
