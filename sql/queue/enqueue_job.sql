create or replace function darkroom.enqueue_job(
    kind       text,
    subject_id bigint,
    fair_key   text,
    queue      text default 'default',
    priority   integer default 0,
    run_at     darkroom.moment default null
) returns bigint
language plpgsql set enable_seqscan = off set enable_sort = off set jit = off
set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_variable
declare
    hash       bigint := hashtextextended(fair_key, 0);
    in_lane    smallint;
    reached    bigint;
    is_drained boolean;
    is_awaited boolean;
    new_job    bigint;
begin
    -- Reads little in one statement, as each statement and each table costs a good part of the insert.
    select l.lane, pg_sequence_last_value(l.position),
           exists (select from darkroom.pauses p
                   where p.drains and coalesce(p.queue, l.queue) = l.queue and coalesce(p.kind, l.kind) = l.kind),
           exists (select from darkroom.workers where is_idle)
    into in_lane, reached, is_drained, is_awaited
    from darkroom.lanes l where l.queue = queue and l.kind = kind and l.priority = priority;
    if not found then
        in_lane := darkroom.lane_of(queue, kind, priority);
        is_drained := darkroom.first_wait(in_lane, null) is not null;
        is_awaited := true;
    end if;
    reached := coalesce(reached, 1);
    insert into darkroom.jobs (kind, lane, slot, subject_id, fair_key, fair_hash, run_at, waits_for)
    values (
        kind, in_lane,
        -- A job that is not ready gets its place in the lane when it is.
        case when run_at > now() or is_drained then 0 else coalesce(
            (select j.slot + darkroom.slot_stride(fair_key) from darkroom.jobs j
             where j.lane = in_lane and j.fair_hash = hash and j.slot >= reached
             order by j.slot desc limit 1),
            reached) end,
        subject_id, fair_key, hash, coalesce(run_at, now()),
        case when is_drained then 'resume' when run_at > now() then 'time' end::darkroom.job_wait)
    returning jobs.job_id into new_job;
    if run_at > now() then
        perform darkroom.announce_due(run_at);
    elsif is_awaited then
        perform pg_notify('darkroom.jobs', '');
    end if;
    return new_job;
end $$;
comment on function darkroom.enqueue_job is 'Queues one job and returns its number.';
