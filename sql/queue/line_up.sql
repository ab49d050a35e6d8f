create or replace function darkroom.line_up(chosen tid[]) returns integer
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
declare
    made integer;
begin
    if cardinality(chosen) = 0 then
        return 0;
    end if;
    -- Nobody looks at slots before the lane's virtual time again. A job that a limit has sent away had reached the front of
    -- its lane, and goes on there. The other jobs of a key go behind those of its jobs that wait, one stride apart: at one
    -- slot they would all start before the single job of another key.
    with these as materialized (
        select j.ctid as tid, j.job_id, j.lane, j.fair_key, j.slot, v.reached,
               j.waits_for = 'turn' or j.is_paced as had_turn, j.slot >= v.reached as keeps_slot
        from darkroom.jobs j join darkroom.lanes l using (lane)
        cross join lateral (select coalesce(pg_sequence_last_value(l.position), 1) as reached) v
        where j.ctid = any (chosen)),
    numbered as materialized (
        select t.*, row_number() over (partition by lane, fair_key, had_turn, keeps_slot order by slot, job_id) as turn
        from these t),
    placed as materialized (
        select n.tid, n.slot, n.keeps_slot, n.turn,
               first_value(case when turn = 1 and not keeps_slot then
                   case when had_turn then reached else darkroom.next_slot(lane, fair_key) end end) over key as first_slot,
               first_value(case when turn = 1 and not keeps_slot then darkroom.slot_stride(fair_key) end) over key as stride
        from numbered n
        window key as (partition by lane, fair_key, had_turn, keeps_slot order by turn))
    update darkroom.jobs j
    set waits_for = case when j.waits_for = 'resume' and j.run_at > clock_timestamp() then 'time' end::darkroom.job_wait,
        slot = case when p.keeps_slot then j.slot else p.first_slot + (p.turn - 1) * p.stride end
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
