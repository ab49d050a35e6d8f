create or replace function darkroom.stop_rendering(of_post bigint) returns integer
language plpgsql set enable_seqscan = off set jit = off set lock_timeout = '2s' as $$
declare
    source bigint := (select e.upload_id from darkroom.post_erasures e where e.post_id = of_post);
    one    bigint;
begin
    -- A re-rendering that was claimed before and waits to be tried again finds the post gone by itself.
    for one in select j.job_id from darkroom.jobs j where j.kind = 'rerender' and j.dedupe_key = of_post loop
        perform darkroom.cancel_any_job(one);
    end loop;
    return case when source is null then 0 else darkroom.stop_storing(of_upload => source, of_post => of_post) end;
end $$;
comment on function darkroom.stop_rendering is
    'Cancels what renders an erased post again. Returns how many attempts are storing files of it and have yet to stop.';
