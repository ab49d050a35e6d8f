-- May be called by: api, reader
-- Example:
--   select comment_id, display_name, body, my_vote from darkroom.post_comments(1, order_by => 'popular', viewer => 'user-9')
create or replace function darkroom.post_comments(
    post_id bigint, order_by darkroom.choice default 'newest', at_most bigint default 20, after darkroom.cursor default null,
    viewer darkroom.person default null
) returns setof darkroom.feed_comment
language plpgsql stable rows 20 security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off
set enable_sort = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_variable
declare
    wanted    integer := darkroom.page_size(at_most);
    from_lead integer := least(2147483647, greatest(-2147483648, coalesce(
        darkroom.cursor_key(darkroom.checked_choice('order_by', order_by, '{newest,popular}'), after), 2147483647)));
    from_id   bigint := coalesce(darkroom.cursor_post(after), 9223372036854775807);
    handles   constant text[] := nullif(array(select darkroom.blocked_handles(viewer)), '{}');
    unnamed   text;
    ids       bigint[];
begin
    if not darkroom.is_visible(post_id) then
        return;
    end if;
    if handles is not null then
        -- If it hid what an anonymous post's uploader writes below it, a block by name would tell who that is.
        select p.uploader into unnamed from darkroom.posts p where p.post_id = post_comments.post_id and p.anonymous;
        if exists (select from darkroom.posts p where p.post_id = post_comments.post_id and p.author_handle = any (handles) and p.uploader <> viewer)
        then
            return;
        end if;
    end if;
    if order_by = 'newest' then
        ids := array(select c.comment_id from darkroom.comments c
                     where c.post_id = post_comments.post_id and c.state = 'published' and c.comment_id < from_id
                       and (handles is null or c.author_handle <> all (handles) or c.author = unnamed)
                     order by c.post_id, c.comment_id desc limit wanted);
    else
        ids := array(select c.comment_id from darkroom.comments c
                     where c.post_id = post_comments.post_id and c.state = 'published'
                       and (c.likes - c.dislikes, c.comment_id) < (from_lead, from_id)
                       and (handles is null or c.author_handle <> all (handles) or c.author = unnamed)
                     order by c.post_id, c.likes - c.dislikes desc, c.comment_id desc limit wanted);
    end if;
    return query select * from darkroom.show_comments(order_by, ids, viewer);
end $$;
comment on function darkroom.post_comments is
    'The comments of a visible post: the newest first, or with order_by => ''popular'' those with the greatest lead in likes '
    '(likes less dislikes), of these the newest first. at_most is 1 to 100 (values outside are clamped). after is the cursor '
    'of the last row of the previous page, with the same arguments. my_vote is the viewer''s own vote; the role reader, which '
    'acts for nobody, gets null for every vote and author. author is null for the uploader of an anonymous post, too; author_handle '
    'stands for the author, and is that of the post for its uploader. Errors: 22023 for another order, or a cursor of another order or feed.';
