create or replace function darkroom.line_up(chosen tid[]) returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    made integer;
begin
    update darkroom.jobs j
    set waits_for = case when j.waits_for = 'resume' and j.run_at > clock_timestamp() then 'time' end::darkroom.job_wait,
        slot = greatest(j.slot, darkroom.virtual_time(j.lane))
    where j.ctid = any (chosen);
    get diagnostics made = row_count;
    if made > 0 then
        perform darkroom.wake_workers();
    end if;
    return made;
end $$;
comment on function darkroom.line_up is
    'Makes jobs ready to be claimed: chosen are their rows, which the caller has locked. A job that waited for the end of a '
    'drain waits for its time if that is later. Returns how many.';
