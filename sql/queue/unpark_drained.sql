create or replace function darkroom.unpark_drained(at_most integer default 500) returns integer
language plpgsql set enable_seqscan = off set enable_sort = off set jit = off as $$
declare
    in_lane smallint;
    chosen  tid[] := '{}';
begin
    for in_lane in
        select l.lane from darkroom.lanes l
        where (select true from darkroom.jobs j where j.lane = l.lane and j.waits_for = 'resume' limit 1)
          and darkroom.first_wait(l.lane, null) is null
    loop
        chosen := chosen || array(
            select ctid from darkroom.jobs where lane = in_lane and waits_for = 'resume'
            order by job_id limit at_most - cardinality(chosen) for update skip locked);
        exit when cardinality(chosen) >= at_most;
    end loop;
    return darkroom.schedule_jobs(chosen);
end $$;
comment on function darkroom.unpark_drained is
    'Releases up to at_most jobs that wait for the end of a drain, in lanes that no drain covers any more. Called by the '
    'upkeep too: a job whose enqueue saw the drain can be committed after its end. Returns how many.';
