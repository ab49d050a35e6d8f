-- May be called by: moderator
-- Example:
--   select darkroom.may_review(media_key => 'renditions/ab/cd/abcd.jpg')
create or replace function darkroom.may_review(media_key darkroom.media_key) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
    select exists (select from darkroom.renditions r where r.media_key = may_review.media_key)
        or exists (select from darkroom.retired_media m join darkroom.posts p using (post_id)
                   where m.media_key = may_review.media_key and m.due_at > now())
$$;
comment on function darkroom.may_review is
    'Whether the file with this key in the media store, of 1 to 1,024 characters, is a picture of a post, in whatever state, or one that a '
    're-rendering has replaced lately: what moderators need to see.';
