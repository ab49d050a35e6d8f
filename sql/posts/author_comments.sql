-- May be called by: api
-- Example:
--   select comment_id, post_id, state, message, body from darkroom.author_comments('user-9', at_most => 20)
create or replace function darkroom.author_comments(
    author darkroom.person, at_most bigint default 20, after darkroom.cursor default null)
returns table (comment_id bigint, post_id bigint, state text, reason text, message text, body text, likes integer, dislikes integer,
               created_at timestamptz, cursor text)
language plpgsql stable rows 20 security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off
set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
    whose  text := $1;
    wanted integer := darkroom.page_size($2);
    before bigint := case when darkroom.cursor_key('comments', $3) is null then 9223372036854775807 else darkroom.cursor_post($3) end;
begin
    return query
    select c.comment_id, c.post_id, c.state::text, d.cause, darkroom.cause_message(c.state, d.cause, 'comment'), c.body, c.likes,
           c.dislikes, c.created_at, 'comments:0~' || c.comment_id
    from darkroom.comments c
    left join lateral (
        select m.cause from darkroom.moderation_decisions m
        where m.post_id = c.post_id and m.comment_id = c.comment_id and c.state <> 'published' and m.to_state = c.state
        order by m.decision_id desc limit 1) d on true
    where c.author = whose and c.comment_id < before and not c.is_deleted
    order by c.author, c.comment_id desc limit wanted;
end $$;
comment on function darkroom.author_comments is
    'The comments of a person, latest first, each with its state: published, held, hidden or removed; if it is not published, with the '
    'code of the reason and a sentence for the author. Those that were deleted are left out. at_most is 1 to 100 (values outside are '
    'clamped). after is the cursor of the last row of the page before. Errors: 22023 for a cursor of another list.';
