create or replace function darkroom.schedule_jobs(chosen tid[], turns bigint default null) returns integer
language plpgsql set enable_seqscan = off set enable_mergejoin = off set jit = off as $$
declare
    made  integer;
    lanes smallint[];
begin
    if cardinality(chosen) = 0 then
        return 0;
    end if;
    -- A key has two lines in a lane: its new jobs, which go behind all its others, and those that have been at its front
    -- before, which go behind each other only. In a line, jobs are one stride apart: at one slot they would all start before
    -- the single job of another key.
    with these as materialized (
        select j.ctid as tid, j.job_id, j.lane, j.fair_key, j.run_at, j.waits_for,
               j.waits_for = 'turn' or j.is_paced or j.attempt > 0 as came_back,
               j.waits_for = 'resume' and j.run_at > clock_timestamp() as is_early
        from darkroom.jobs j where j.ctid = any (chosen)),
    lines as materialized (
        select t.lane, t.fair_key, t.came_back, s.stride,
               greatest(
                   darkroom.next_slot(t.lane, t.fair_key, t.came_back, turns),
                   case when t.was_parked then darkroom.virtual_time(t.lane) + s.stride end) as first_slot
        from (select lane, fair_key, came_back, bool_or(waits_for = 'turn') as was_parked
              from these where not is_early group by 1, 2, 3) t
        cross join lateral (select darkroom.slot_stride(t.fair_key) as stride) s),
    placed as materialized (
        select t.tid, t.came_back, t.is_early, l.first_slot + l.stride * (row_number() over (
                   partition by t.lane, t.fair_key, t.came_back, t.is_early order by t.run_at, t.job_id) - 1) as slot
        from these t left join lines l using (lane, fair_key, came_back)),
    moved as (
        update darkroom.jobs j
        set waits_for = case when p.is_early then 'time' end::darkroom.job_wait,
            slot = case when p.is_early then 0 else p.slot end,
            came_back = p.came_back
        from placed p where j.ctid = p.tid
        returning j.lane)
    select count(*), array_agg(distinct m.lane) into made, lanes from moved m;
    perform darkroom.wake_workers(l.queue, l.kind) from darkroom.lanes l where l.lane = any (lanes);
    return made;
end $$;
comment on function darkroom.schedule_jobs is
    'Makes jobs ready to be claimed, in fair order: chosen are their rows, which the caller has locked. A job that waited for '
    'the end of a drain waits for its time if that is later. turns is as in next_slot. Returns how many.';
