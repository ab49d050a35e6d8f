-- May be called by: api, reader
-- Example:
--   select comment_id, author, body from darkroom.post_comments(1, at_most => 20)
create or replace function darkroom.post_comments(post_id bigint, at_most bigint default 20, after bigint default null)
returns table (comment_id bigint, author text, author_handle text, body text, likes integer, dislikes integer,
               created_at timestamptz)
language sql stable rows 20 security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off
set jit = off as $$
    select c.comment_id, case when not o.by_anonymous and (select darkroom.votes_for_people()) then c.author end,
           darkroom.author_handle(
               (select h.inner_pad from darkroom.handle_keys h), (select h.outer_pad from darkroom.handle_keys h),
               case when o.by_anonymous then darkroom.anonymity_of(
                   (select s.anonymous_within from darkroom.settings s), p.post_id, p.category, p.activity) else '' end, c.author),
           c.body, c.likes, c.dislikes, c.created_at
    from darkroom.comments c
    join darkroom.posts p using (post_id)
    -- Who answers under their own anonymous post stays anonymous.
    cross join lateral (select p.anonymous and c.author = p.uploader as by_anonymous) o
    where c.post_id = post_comments.post_id and c.deleted_at is null and (after is null or c.comment_id < after)
      and darkroom.is_visible(post_comments.post_id)
    order by c.comment_id desc limit darkroom.page_size(at_most)
$$;
comment on function darkroom.post_comments is
    'The comments of a visible post, newest first. author is null for the role reader, which acts for nobody, and for the '
    'uploader of an anonymous post; author_handle stands for the author, and is that of the post for its uploader. at_most is 1 '
    'to 100 (values outside are clamped). after is the number of the last comment of the previous page.';
