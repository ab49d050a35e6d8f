create or replace function darkroom.discard_jobs(job_ids bigint[], discarded_by text, why text default null) returns bigint[]
language plpgsql as $$
#variable_conflict use_variable
declare
    discarded bigint[];
begin
    discarded := array(
        select f.job_id from darkroom.finished_jobs f
        where f.job_id = any (job_ids) and f.state in ('rejected', 'failed') for update);
    perform darkroom.keep_last_attempts(discarded);
    update darkroom.finished_jobs f
    set state = 'cancelled', reason = 'discarded',
        message = format('Discarded by %s%s. The job was %s (%s): %s', discarded_by, ': ' || why, f.state, f.reason, f.message),
        lease = null, cause = null, verdict = null, stages = null
    where f.job_id = any (discarded);
    return discarded;
end $$;
comment on function darkroom.discard_jobs is
    'Marks finished jobs that did not succeed as not worth a replay: cancelled, with the reason discarded. How they '
    'had ended stays in the message, and their last attempt in history. Returns the jobs that were discarded.';
