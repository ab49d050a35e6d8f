create or replace function darkroom.cancel_any_job(job_id bigint) returns boolean
language plpgsql set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
begin
    if darkroom.finish_jobs(array[job_id], null, 'cancelled', 'cancelled', 'The job was cancelled before it ran.') = '{}' then
        return true;
    end if;
    update darkroom.jobs j set cancel_requested = true where j.job_id = job_id and j.lease is not null;
    if found then
        perform pg_notify('darkroom.control', 'cancel ' || job_id);
        return true;
    end if;
    return false;
end $$;
comment on function darkroom.cancel_any_job is
    'Cancels a waiting job of any kind at once and asks the worker of a running one to stop. Returns false if the job '
    'is finished or unknown.';
