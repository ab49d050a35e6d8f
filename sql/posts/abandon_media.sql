create or replace function darkroom.abandon_media(job_id bigint, lease bigint, keys text[]) returns void
language plpgsql set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    noted darkroom.unpublished_media;
begin
    delete from darkroom.unpublished_media u where u.job_id = job_id and u.lease = lease returning * into noted;
    -- Without a row too: if the lease was lost, somebody else took the row before the files were there.
    perform darkroom.retire_media(keys, now(), noted.post_id, noted.uploader);
end $$;
comment on function darkroom.abandon_media is
    'Retires the files that an attempt noted and did not publish. If it did publish them, they stay, since rows refer to them.';
