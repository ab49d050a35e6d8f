create or replace function darkroom.cancel_any_job(job_id bigint) returns boolean
language plpgsql set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    is_running boolean;
begin
    -- Nobody claims the job or gives it back between the look and the change.
    select j.lease is not null into is_running from darkroom.jobs j where j.job_id = job_id for update;
    if not found then
        return false;
    end if;
    if is_running then
        update darkroom.jobs j set cancel_requested = true where j.job_id = job_id;
        if darkroom.may_notify() then
            perform pg_notify('darkroom.control', 'cancel ' || job_id);
        end if;
    else
        perform darkroom.finish_jobs(array[job_id], null, 'cancelled', 'cancelled', 'The job was cancelled before it ran.');
    end if;
    return true;
end $$;
comment on function darkroom.cancel_any_job is
    'Cancels a waiting job of any kind at once and asks the worker of a running one to stop. Returns false if the job '
    'is finished or unknown.';
