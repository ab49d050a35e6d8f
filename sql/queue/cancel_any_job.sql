create or replace function darkroom.cancel_any_job(job_id bigint) returns boolean
language plpgsql set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
    target bigint := $1;
begin
    with gone as (
        delete from darkroom.jobs j where j.job_id = target and j.lease is null returning j.*)
    insert into darkroom.finished_jobs (
        job_id, kind, state, lane, subject_id, fair_key, attempt, failures, crashes,
        reason, message, created_at, finished_at)
    select g.job_id, g.kind, 'cancelled', g.lane, g.subject_id, g.fair_key, g.attempt, g.failures,
           g.crashes, 'cancelled', 'The job was cancelled before it ran.', g.created_at, clock_timestamp()
    from gone g;
    if found then
        return true;
    end if;
    update darkroom.jobs j set cancel_requested = true where j.job_id = target and j.lease is not null;
    if found then
        perform pg_notify('darkroom.control', 'cancel ' || target);
        return true;
    end if;
    return false;
end $$;
comment on function darkroom.cancel_any_job is
    'Cancels a waiting job of any kind at once and asks the worker of a running one to stop. False: the job is '
    'finished or unknown.';
