-- An attempt must not store files that nobody would find if it died, nor files of what is being erased.
create or replace function darkroom.note_media(job_id bigint, lease bigint, keys text[]) returns text
language plpgsql set enable_seqscan = off set jit = off set lock_timeout = '2s' as $$
#variable_conflict use_variable
declare
    held   darkroom.jobs;
    source bigint;
    whose  text;
    target bigint;
begin
    -- The lease does not end before this transaction does. So anyone who sees that it is over sees the row too.
    select * into held from darkroom.jobs j where j.job_id = job_id and j.lease = lease for share;
    if not found then
        return 'lease_lost';
    elsif held.cancel_requested then
        return 'cancelled';
    end if;
    -- An erasure waits for these locks, and then sees the row.
    if held.kind = 'rerender' then
        target := held.subject_id;
        select p.upload_id, p.uploader into source, whose from darkroom.posts p where p.post_id = target for key share;
        if not found or exists (select from darkroom.post_erasures e where e.post_id = target) then
            return 'post_gone';
        end if;
    else
        select u.upload_id, u.uploader into source, whose from darkroom.uploads u
        where u.upload_id = held.subject_id for key share;
        if not found then
            return 'upload_erased';
        end if;
    end if;
    if exists (select from darkroom.person_erasures e where e.person = whose) then
        return 'cancelled';
    end if;
    insert into darkroom.unpublished_media (job_id, lease, upload_id, post_id, uploader, media_keys)
    values (job_id, lease, source, target, whose, keys);
    return null;
end $$;
comment on function darkroom.note_media is
    'Notes the files that an attempt is about to store, and returns null. Else returns why it must not store them: '
    'lease_lost, cancelled (the job, or its uploader is being erased), post_gone or upload_erased.';
