create or replace function darkroom.retire_unpublished(
    of_upload bigint default null, of_person text default null, of_post bigint default null) returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    one  record;
    made integer := 0;
begin
    for one in
        delete from darkroom.unpublished_media g
        where (g.job_id, g.lease) in (
            select u.job_id, u.lease from darkroom.unpublished_media u
            where (of_upload is null or u.upload_id = of_upload) and (of_person is null or u.uploader = of_person)
              and not exists (select from darkroom.jobs j where j.job_id = u.job_id and j.lease = u.lease)
            -- Passes over what an attempt is publishing: its transaction ends with the row or without it.
            for update skip locked)
        returning g.media_keys, g.post_id, g.uploader
    loop
        perform darkroom.retire_media(one.media_keys, now(), coalesce(one.post_id, of_post), one.uploader);
        made := made + 1;
    end loop;
    return made;
end $$;
comment on function darkroom.retire_unpublished is
    'Retires the files that attempts noted whose lease is over, as after the death of a worker: of one upload, of one '
    'person, or all. of_post is the post that the upload became. Returns of how many attempts.';
