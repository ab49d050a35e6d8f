create or replace function darkroom.keep_last_attempts(job_ids bigint[]) returns void
language sql as $$
    insert into darkroom.job_attempts (
        job_id, attempt, lease, outcome, reason, message, cause, verdict, stages, started_at, ended_at)
    select f.job_id, f.attempt, f.lease, f.state::text::darkroom.attempt_outcome, f.reason, f.message, f.cause,
           f.verdict, f.stages, f.started_at, f.finished_at
    from darkroom.finished_jobs f where f.job_id = any (job_ids) and f.lease is not null
$$;
comment on function darkroom.keep_last_attempts is
    'Copies the attempt that finished each job from the job''s own row of history into job_attempts, before that row '
    'changes.';
