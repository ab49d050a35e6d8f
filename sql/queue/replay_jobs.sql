create or replace function darkroom.replay_jobs(job_ids bigint[], replayed_by text, why text default null) returns bigint[]
language plpgsql as $$
#variable_conflict use_variable
declare
    replayed bigint[];
begin
    -- Locks the rows, so that if two callers replay a job, one finds it gone.
    replayed := array(
        select f.job_id from darkroom.finished_jobs f
        where f.job_id = any (job_ids) and f.state in ('rejected', 'failed', 'cancelled') for update);
    perform darkroom.keep_last_attempts(replayed);
    with gone as (
        delete from darkroom.finished_jobs f where f.job_id = any (replayed) returning f.*),
    noted as (
        insert into darkroom.replays (job_id, from_state, reason, message, finished_at, replayed_by, why)
        select g.job_id, g.state, g.reason, g.message, g.finished_at, replayed_by, why from gone g)
    insert into darkroom.jobs (job_id, kind, lane, slot, subject_id, fair_key, fair_hash, attempt, created_at, waits_for)
    select g.job_id, g.kind, g.lane,
           case when w.wait is not null then 0
                else darkroom.next_slot(g.lane, g.fair_key)
                     + (row_number() over (partition by g.lane, g.fair_key order by g.job_id) - 1) * darkroom.slot_stride(g.fair_key)
           end,
           g.subject_id, g.fair_key, hashtextextended(g.fair_key, 0), g.attempt, now(), w.wait
    from gone g cross join lateral (select darkroom.first_wait(g.lane, null) as wait) w;
    if cardinality(replayed) > 0 then
        perform darkroom.wake_workers();
    end if;
    return array(select r from unnest(replayed) r order by r);
end $$;
comment on function darkroom.replay_jobs is
    'Queues finished jobs again; those that succeeded stay as they are. The jobs keep their numbers and the history of '
    'their attempts; failures and crashes are counted from 0 again. Returns the jobs that were queued.';
