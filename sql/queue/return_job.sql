-- Nothing else writes attempts that leave their job unfinished.
create or replace function darkroom.return_job(
    job_id   bigint,
    lease    bigint,
    outcome  darkroom.attempt_outcome,
    reason   text default null,
    message  text default null,
    cause    text default null,
    verdict  text default null,
    stages   darkroom.stage_time[] default null,
    delay    interval default null,
    failures integer default 0,
    crashes  integer default 0,
    deaths   integer default 0
) returns boolean
language plpgsql set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    held darkroom.jobs;
begin
    select * into held from darkroom.jobs j where j.job_id = job_id and j.lease = lease for update;
    if not found then
        return false;
    end if;
    -- The person who asked for the end must not see the job run again.
    if held.cancel_requested then
        return darkroom.finish_jobs(
            array[job_id], array[lease], 'cancelled', 'cancelled', 'The job was cancelled while it ran.', cause, verdict, stages,
            failures, crashes, deaths) = '{}';
    end if;
    insert into darkroom.job_attempts (
        job_id, attempt, lease, outcome, reason, message, cause, verdict, stages, started_at, ended_at)
    values (job_id, held.attempt, lease, outcome, reason, message, cause, verdict, stages, held.leased_at, clock_timestamp());
    update darkroom.jobs j
    set lease = null, leased_at = null, running_key = null, stage = null,
        waits_for = case when delay is not null then 'time' end::darkroom.job_wait,
        slot = case when delay is null then darkroom.next_slot(j.lane, j.fair_key, true) else 0 end, came_back = true,
        failures = j.failures + failures, crashes = j.crashes + crashes, deaths = j.deaths + deaths,
        tried_s = j.tried_s + case when outcome in ('retry', 'crashed') then
            coalesce((select sum(s.milliseconds) from unnest(stages) s) / 1000, 0) + coalesce(extract(epoch from delay)::float8, 0)
            else 0 end,
        run_at = clock_timestamp() + coalesce(delay, interval '0')
    where j.job_id = job_id;
    if held.running_key is not null then
        perform darkroom.unpark(array[held.running_key]);
    end if;
    if delay is null then
        perform darkroom.wake_workers(l.queue, l.kind) from darkroom.lanes l where l.lane = held.lane;
    else
        perform darkroom.announce_due(clock_timestamp() + delay);
    end if;
    return true;
end $$;
comment on function darkroom.return_job is
    'Ends an attempt that leaves its job unfinished, and makes the job wait again: for its time if delay is given, '
    'else to be claimed. A job that somebody cancelled meanwhile ends instead. failures, crashes and deaths are added to '
    'the job''s own. Returns false, and does nothing, if the lease is no longer the job''s.';
