-- May be called by: moderator
-- Example:
--   select comment_id, state, cause, severity, body from darkroom.comments_to_review(at_most => 50)
create or replace function darkroom.comments_to_review(at_most bigint default 20, after darkroom.cursor default null)
returns table (
    comment_id bigint, post_id bigint, state text, severity integer, score double precision, cause text, must_decide boolean,
    report_count integer, appeal_id bigint, is_deleted boolean, opened_at timestamptz, author text, body text, seen bigint, cursor text
)
language plpgsql stable rows 20 security definer set search_path = pg_catalog, pg_temp set jit = off
set extra_float_digits = 1 as $$
#variable_conflict use_column
declare
    place record;
begin
    select * into place from darkroom.review_position(comments_to_review.after);
    return query
        select r.comment_id, r.post_id, c.state::text, r.severity::integer, r.score, r.cause, r.is_binding,
               (select count(*) from darkroom.reports o where o.post_id = r.post_id and o.comment_id = r.comment_id)::integer,
               r.appeal_id, c.is_deleted, r.opened_at, c.author, c.body,
               coalesce((select max(d.decision_id) from darkroom.moderation_decisions d
                         where d.post_id = r.post_id and d.comment_id = r.comment_id), 0),
               format('%s:%s:%s:%s', r.severity, r.score, (extract(epoch from r.opened_at) * 1000000)::bigint, r.comment_id)
        from darkroom.reviews r join darkroom.comments c using (comment_id)
        where r.comment_id > 0
          and (comments_to_review.after is null
               or (-r.severity, -r.score, r.opened_at, r.comment_id) > (-place.severity, -place.score, place.opened_at, place.subject_id))
        order by -r.severity, -r.score, r.opened_at, r.comment_id
        limit least(100, greatest(1, coalesce(at_most, 20)));
end $$;
comment on function darkroom.comments_to_review is
    'The comments that are held, hidden, appealed for or reported, in the order of posts_to_review and with its columns. body is the text. '
    'Pass seen to decide_on_comment. at_most is 1 to 100 (values outside are clamped); after is the cursor of the last row of the '
    'previous page. Errors: 22023 for a text that is no cursor of this list.';
