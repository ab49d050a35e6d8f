-- May be called by: moderator
-- Example:
--   select state, may_decide, reports, decisions from darkroom.post_to_review(post_id => 1)
create or replace function darkroom.post_to_review(post_id bigint)
returns table (
    post_id bigint, state text, uploader text, headline text, caption text, link text, media_keys text[],
    may_decide text[], seen bigint, is_deleted boolean, reports jsonb, decisions jsonb, appeals jsonb,
    uploader_posts bigint, uploader_removals bigint
)
language sql stable rows 1 security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off
set jit = off as $$
    select p.post_id, p.state::text, p.uploader, p.headline, p.caption, p.link,
           array(select m.media_key from darkroom.renditions m where m.post_id = p.post_id order by m.name),
           c.may_decide, coalesce(c.latest, 0), c.is_leaving,
           (select coalesce(jsonb_agg(jsonb_build_object(
                'reason', r.reason, 'details', r.details, 'reported_at', r.created_at, 'counted', r.counted,
                'group', r.group_number, 'disregarded', r.disregarded, 'agreed', r.reporter_agreed,
                'disagreed', r.reporter_disagreed, 'is_agreed', r.is_agreed,
                'undecided', (select count(*) from (select from darkroom.reports u
                                                    where u.reporter = r.reporter and u.is_agreed is null limit 100) u)) order by r.created_at), '[]')
            from (select * from darkroom.reports o where o.post_id = p.post_id
                  order by o.created_at desc limit 1000) r),
           (select coalesce(jsonb_agg(jsonb_build_object(
                'decision_id', d.decision_id, 'decision', d.decision, 'cause', d.cause, 'decider', d.decider,
                'note', d.note, 'score', d.score, 'reports', d.reports, 'decided_at', d.decided_at,
                'similar_to', d.similar_to, 'hash_list', d.hash_list_name, 'hash_distance', d.hash_distance) order by d.decision_id), '[]')
            from (select * from darkroom.moderation_decisions o where o.post_id = p.post_id
                  order by o.decision_id desc limit 1000) d),
           (select coalesce(jsonb_agg(jsonb_build_object(
                'appeal_id', a.appeal_id, 'text', a.text, 'created_at', a.created_at, 'decision_id', a.decision_id)
                order by a.appeal_id), '[]')
            from darkroom.appeals a where a.post_id = p.post_id),
           (select count(*) from (select from darkroom.posts o where o.uploader = p.uploader limit 1000) o),
           (select count(*) from darkroom.removals r where r.uploader = p.uploader)
    from darkroom.posts p cross join lateral darkroom.review_case(p.post_id) c
    where p.post_id = post_to_review.post_id
$$;
comment on function darkroom.post_to_review is
    'A post for its moderators, in any state: its texts and pictures, what can be decided now, and its latest 1,000 reports '
    '(without who reported, but with how many reports of the reporter are undecided, counted to 100), decisions and appeals, and how many posts its uploader has (counted to 1,000) and how many of them were removed. Pass seen to decide_on_post, so that a decision that came since is not '
    'overlooked. No row if there is no such post.';
