-- A repeated upload is not among them: the post that it replaces may be gone since.
create or replace function darkroom.require_replaced(new_uploads bigint[]) returns void
language plpgsql stable as $$
declare
    missing bigint := (
        select u.replaces from darkroom.uploads u
        where u.upload_id = any (new_uploads) and u.replaces is not null
          and not darkroom.can_replace(u.replaces, u.uploader)
        limit 1);
    twice   bigint := (
        select u.replaces from darkroom.uploads u
        where u.upload_id = any (new_uploads) and u.replaces is not null group by 1 having count(*) > 1 limit 1);
begin
    if missing is not null then
        raise exception using errcode = 'no_data_found',
            message = format('this uploader has no post %s to replace', missing),
            hint = 'It may have been deleted before. Leave replaces out for a new post.';
    end if;
    if twice is not null then
        raise exception using errcode = 'check_violation', constraint = 'one_upload_replaces_a_post',
            message = format('two of these uploads replace post %s', twice),
            hint = 'The last one would replace the first one too. Let one of them replace it.';
    end if;
end $$;
comment on function darkroom.require_replaced is
    'Raises P0002 if one of the uploads replaces a post that its uploader does not have, and 23514 if two replace the same.';
