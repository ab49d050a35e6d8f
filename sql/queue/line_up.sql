create or replace function darkroom.line_up(chosen tid[]) returns integer
language plpgsql set enable_seqscan = off set enable_mergejoin = off set jit = off as $$
declare
    made integer;
begin
    if cardinality(chosen) = 0 then
        return 0;
    end if;
    -- Nobody looks at slots before the lane's virtual time again. A job that is new goes behind the jobs of its key that wait.
    -- One that was tried before, or that a limit has sent away, had reached the front: it goes on a turn after those of its
    -- key's next jobs that start within eight turns, so neither before each other key's turn nor behind a backlog. Jobs of a key
    -- are one stride apart: at one slot they would all start before the single job of another key.
    with these as materialized (
        select j.ctid as tid, j.job_id, j.lane, j.fair_key, j.slot,
               j.waits_for = 'turn' or j.is_paced or j.attempt > 0 as had_turn,
               j.slot >= darkroom.virtual_time(j.lane) as keeps_slot
        from darkroom.jobs j where j.ctid = any (chosen)),
    keys as materialized (
        select t.lane, t.fair_key, t.had_turn, s.stride,
               -- Even a light key's job need not wait for hundreds of others once more.
               case when t.had_turn then least(s.stride, 1048576) + coalesce(
                        (select j.slot
                         from (select o.slot, o.waits_for from darkroom.jobs o
                               where o.lane = t.lane and o.fair_hash = hashtextextended(t.fair_key, 0)
                                 and o.slot between s.reached and s.reached + 8 * s.stride
                               order by o.slot desc offset 0) j
                         where j.waits_for is null limit 1), s.reached)
                    else darkroom.next_slot(t.lane, t.fair_key) end as first_slot
        from (select distinct lane, fair_key, had_turn from these where not keeps_slot) t
        cross join lateral (select darkroom.slot_stride(t.fair_key) as stride, darkroom.virtual_time(t.lane) as reached) s),
    placed as materialized (
        select t.tid, case when t.keeps_slot then t.slot else k.first_slot + k.stride * (
                   row_number() over (partition by t.lane, t.fair_key, t.had_turn, t.keeps_slot order by t.slot, t.job_id) - 1)
               end as slot
        from these t left join keys k using (lane, fair_key, had_turn))
    update darkroom.jobs j
    set waits_for = case when j.waits_for = 'resume' and j.run_at > clock_timestamp() then 'time' end::darkroom.job_wait,
        slot = p.slot
    from placed p where j.ctid = p.tid;
    get diagnostics made = row_count;
    if made > 0 then
        perform darkroom.wake_workers();
    end if;
    return made;
end $$;
comment on function darkroom.line_up is
    'Makes jobs ready to be claimed, in fair order: chosen are their rows, which the caller has locked. A job that waited for '
    'the end of a drain waits for its time if that is later. Returns how many.';
