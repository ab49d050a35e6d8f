-- May be called by: moderator
-- Replaces: posts_to_review(darkroom.choice, bigint, bigint, darkroom.cursor)
-- Example:
--   select post_id, state, cause, severity, report_count from darkroom.posts_to_review(at_most => 50)
create or replace function darkroom.posts_to_review(
    in_state darkroom.choice default null, like_post bigint default null, reported_with bigint default null, at_most bigint default 20,
    after darkroom.cursor default null)
returns table (
    post_id bigint, state text, severity integer, score double precision, cause text, must_decide boolean,
    report_count integer, appeal_id bigint, is_deleted boolean, opened_at timestamptz, uploader text, title text, media_key text, seen bigint, cursor text
)
language plpgsql stable rows 20 security definer set search_path = pg_catalog, pg_temp set jit = off
set extra_float_digits = 1 as $$
#variable_conflict use_column
declare
    place record;
    hash  bigint;
    reporters text[];
begin
    select * into place from darkroom.review_position(posts_to_review.after);
    if left(in_state, 20) <> all (enum_range(null::darkroom.post_state)::text[]) then
        raise exception using errcode = 'invalid_parameter_value', message = 'there is no such state',
            hint = format('Give one of %s.', array_to_string(enum_range(null::darkroom.post_state), ', '));
    end if;
    select p.perceptual_hash into hash from darkroom.posts p where p.post_id = like_post;
    reporters := array(select o.reporter from darkroom.reports o where o.post_id = reported_with and o.comment_id = 0
                       order by o.created_at desc limit 1000);
    return query
        select r.post_id, p.state::text, r.severity::integer, r.score, r.cause, r.is_binding, p.report_count, r.appeal_id,
               exists (select from darkroom.post_erasures e where e.post_id = p.post_id), r.opened_at, p.uploader,
               coalesce(p.headline, p.caption),
               (select m.media_key from darkroom.renditions m where m.post_id = p.post_id order by m.width, m.name limit 1),
               coalesce((select max(d.decision_id) from darkroom.moderation_decisions d where d.post_id = p.post_id and d.comment_id = 0), 0),
               format('%s:%s:%s:%s', r.severity, r.score, (extract(epoch from r.opened_at) * 1000000)::bigint, r.post_id)
        from darkroom.reviews r join darkroom.posts p using (post_id)
        where r.comment_id = 0
          and (in_state is null or p.state::text = in_state)
          and (like_post is null or bit_count((p.perceptual_hash # hash)::bit(64)) <= 7)
          and (reported_with is null or exists (
                   select from darkroom.reports o
                   where o.post_id = r.post_id and o.comment_id = 0 and o.reporter = any (reporters) and o.is_agreed is null))
          and (posts_to_review.after is null
               or (-r.severity, -r.score, r.opened_at, r.post_id) > (-place.severity, -place.score, place.opened_at, place.subject_id))
        order by -r.severity, -r.score, r.opened_at, r.post_id
        limit least(100, greatest(1, coalesce(at_most, 20)));
end $$;
comment on function darkroom.posts_to_review is
    'The posts that are held, hidden, appealed for or reported: the most severe reason first, then the highest score, then the '
    'longest wait. in_state lists only posts in that state (published: reported, but not hidden); like_post only those whose '
    'photos differ from that post''s in at most 7 of 64 bits; reported_with only those that its latest 1,000 reporters have reported too, '
    'and on which nobody has decided since. media_key is its smallest picture; pass seen to decide_on_post. must_decide: it stays until a person decides. at_most is 1 to 100 '
    '(values outside are clamped); after is the cursor of the last row of the previous page. Errors: 22023 for an unknown state '
    'or a text that is no cursor of this list.';
