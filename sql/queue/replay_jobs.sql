create or replace function darkroom.replay_jobs(job_ids bigint[], replayed_by text, why text default null) returns bigint[]
language plpgsql as $$
#variable_conflict use_variable
declare
    replayed bigint[];
    ready    tid[];
begin
    -- Locks the rows, so that if two callers replay a job, one finds it gone.
    replayed := array(
        select f.job_id from darkroom.finished_jobs f
        where f.job_id = any (job_ids) and f.state <> 'succeeded' for update);
    perform darkroom.keep_last_attempts(replayed);
    with gone as (
        delete from darkroom.finished_jobs f where f.job_id = any (replayed) returning f.*),
    noted as (
        insert into darkroom.replays (job_id, from_state, reason, message, finished_at, replayed_by, why)
        select g.job_id, g.state, g.reason, g.message, g.finished_at, replayed_by, why from gone g),
    made as (
        insert into darkroom.jobs (job_id, kind, lane, slot, subject_id, fair_key, fair_hash, attempt, created_at, waits_for)
        select g.job_id, g.kind, g.lane, 0, g.subject_id, g.fair_key, hashtextextended(g.fair_key, 0), g.attempt, now(),
               coalesce(darkroom.first_wait(g.lane, null), 'time')
        from gone g
        returning ctid as tid, waits_for)
    select array_agg(m.tid) filter (where m.waits_for = 'time') into ready from made m;
    perform darkroom.schedule_jobs(coalesce(ready, '{}'));
    return array(select r from unnest(replayed) r order by r);
end $$;
comment on function darkroom.replay_jobs is
    'Queues finished jobs again; those that succeeded stay as they are. The jobs keep their numbers and the history of '
    'their attempts; failures and crashes are counted from 0 again. Returns the jobs that were queued.';
