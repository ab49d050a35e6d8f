create or replace function darkroom.stop_storing(
    of_upload bigint default null, of_person text default null, of_post bigint default null) returns integer
language plpgsql set enable_seqscan = off set jit = off set lock_timeout = '2s' as $$
declare
    one bigint;
begin
    for one in
        select j.job_id from darkroom.unpublished_media u join darkroom.jobs j on j.job_id = u.job_id and j.lease = u.lease
        where (of_upload is null or u.upload_id = of_upload) and (of_person is null or u.uploader = of_person)
          and not j.cancel_requested
        order by j.job_id
    loop
        perform darkroom.cancel_any_job(one);
    end loop;
    perform darkroom.retire_unpublished(of_upload, of_person, of_post);
    return (select count(*) from darkroom.unpublished_media u
            where (of_upload is null or u.upload_id = of_upload) and (of_person is null or u.uploader = of_person));
end $$;
comment on function darkroom.stop_storing is
    'Cancels the jobs whose attempts are storing files of an upload or a person, and retires the files of attempts that '
    'are over. of_post is the post that the upload became. Returns how many attempts have yet to stop.';
