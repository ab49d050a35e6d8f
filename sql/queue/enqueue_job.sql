create or replace function darkroom.enqueue_job(
    kind       text,
    subject_id bigint,
    fair_key   text,
    queue      text default 'default',
    priority   integer default 0,
    run_at     darkroom.moment default null
) returns bigint
language plpgsql set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    in_lane    smallint;
    is_news    boolean;
    is_drained boolean;
    stride     bigint;
    new_job    bigint;
begin
    loop
        -- Reads little, since each table, statement, expression and setting costs a good part of the insert. jit is off because
        -- first_wait reads all pauses, which costs more than everything to a planner that avoids that.
        insert into darkroom.jobs (kind, lane, slot, subject_id, fair_key, fair_hash, run_at, waits_for)
        select kind, l.lane,
               -- A job that is not ready gets its place in the lane when it is.
               case when is_drained or run_at > now() then 0 else coalesce(
                   (select j.slot + coalesce(stride, 1048576) from darkroom.jobs j
                    where j.lane = l.lane and j.fair_hash = hashtextextended(fair_key, 0) and j.slot >= l.reached
                    order by j.slot desc limit 1),
                   l.reached) end,
               subject_id, fair_key, hashtextextended(fair_key, 0), coalesce(run_at, now()),
               case when is_drained then 'resume' when run_at > now() then 'time' end::darkroom.job_wait
        from (select l.lane, coalesce(pg_sequence_last_value(l.position), 1) as reached from darkroom.lanes l
              where l.queue = queue and l.kind = kind and l.priority = priority
                and (in_lane is not null or pg_sequence_last_value('darkroom.exceptions') is null) offset 0) l
        returning jobs.job_id, run_at > now() or exists (
            select from darkroom.worker_queues q
            where q.queue = queue and q.awaited is not null and kind = any (q.awaited)) into new_job, is_news;
        exit when new_job is not null;
        -- The lane is new, or there are drains or weights.
        in_lane := darkroom.lane_of(queue, kind, priority);
        is_drained := darkroom.first_wait(in_lane, null) is not null;
        stride := darkroom.slot_stride(fair_key);
    end loop;
    if is_news then
        if run_at > now() then
            perform darkroom.announce_due(run_at);
        else
            perform darkroom.wake_workers(queue, kind);
        end if;
    end if;
    return new_job;
end $$;
comment on function darkroom.enqueue_job is 'Queues one job and returns its number.';
