create or replace function darkroom.erase_person_jobs(of_erasure bigint) returns integer
language plpgsql set enable_seqscan = off set jit = off set lock_timeout = '2s' as $$
declare
    whom  text := darkroom.erased_person(of_erasure);
    ended integer := 0;
    kept  integer := 0;
    one   record;
begin
    for one in
        select j.job_id, j.lease from darkroom.jobs j
        where j.lane = any (array(select l.lane from darkroom.lanes l))
          and j.fair_hash = hashtextextended(whom, 0) and j.fair_key = whom and darkroom.ingests(j.kind)
        order by j.job_id
    loop
        perform darkroom.cancel_job(one.job_id);
        if exists (select from darkroom.jobs j where j.job_id = one.job_id) then
            kept := kept + 1;
        else
            ended := ended + 1;
        end if;
    end loop;
    update darkroom.person_erasures set jobs = jobs + ended where erasure_id = of_erasure;
    return kept;
end $$;
comment on function darkroom.erase_person_jobs is
    'Cancels the unfinished jobs of a person. Returns how many are running and were asked to stop.';
