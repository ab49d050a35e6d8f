-- May be called by: api
-- Example:
--   select darkroom.cancel_job(1, uploader => 'user-17')
create or replace function darkroom.cancel_job(job_id bigint, uploader darkroom.person default null) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
    target  bigint := $1;
    person  text := $2;
    of_kind text;
    subject bigint;
begin
    select j.kind, j.subject_id into of_kind, subject from darkroom.jobs j where j.job_id = target;
    if not found then
        return darkroom.discard_drafts(array(
            select u.upload_id from darkroom.uploads u
            where u.job_id = target and u.is_draft and (person is null or u.uploader = person))) > 0;
    end if;
    -- An app may cancel only uploads; a caller that may cancel any job may do so here too.
    if (person is not null and not darkroom.is_upload_of(of_kind, subject, person))
       or (not darkroom.ingests(of_kind)
           and not has_function_privilege(darkroom.caller(), 'darkroom.cancel_any_job(bigint)', 'execute'))
    then
        return false;
    end if;
    return darkroom.cancel_any_job(target);
end $$;
comment on function darkroom.cancel_job is
    'Cancels a waiting job at once, asks the worker of a running one to stop, and discards a draft with its original. If uploader is given, the jobs of '
    'others are treated as unknown. An app can cancel only what it enqueued: uploads. Returns false if the job is '
    'finished, unknown or not the caller''s to cancel.';
