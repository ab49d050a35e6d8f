-- May be called by: api, reader
-- Example:
--   select comment_id, author, body from darkroom.post_comments(1, at_most => 20)
create or replace function darkroom.post_comments(post_id bigint, at_most bigint default 20, after bigint default null)
returns table (comment_id bigint, author text, body text, likes integer, dislikes integer, created_at timestamptz)
language sql stable rows 20 security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off
set jit = off as $$
    select c.comment_id, c.author, c.body, c.likes, c.dislikes, c.created_at
    from darkroom.comments c
    where c.post_id = post_comments.post_id and c.deleted_at is null and (after is null or c.comment_id < after)
      and darkroom.is_visible(post_comments.post_id)
    order by c.comment_id desc limit darkroom.page_size(at_most)
$$;
comment on function darkroom.post_comments is
    'The comments of a visible post, newest first. at_most is 1 to 100 (values outside are clamped). after is the number '
    'of the last comment of the previous page.';
