-- May be called by: moderator
-- Example:
--   select state, may_decide, reports, decisions from darkroom.post_to_review(post_id => 1)
create or replace function darkroom.post_to_review(post_id bigint)
returns table (
    post_id bigint, state text, uploader text, headline text, caption text, link text, venue_name text, credit text, licence text, media_keys text[],
    may_decide text[], seen bigint, is_deleted boolean, reports jsonb, decisions jsonb, appeals jsonb,
    uploader_posts bigint, uploader_removals bigint
)
language sql stable rows 1 security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off
set jit = off as $$
    select p.post_id, p.state::text, p.uploader, p.headline, p.caption, p.link, p.venue_name, p.credit, p.licence,
           array(select m.media_key from darkroom.renditions m where m.post_id = p.post_id order by m.name),
           c.may_decide, coalesce(c.latest, 0), c.is_leaving,
           darkroom.review_reports(p.post_id, 0), darkroom.review_decisions(p.post_id, 0), darkroom.review_appeals(p.post_id, 0),
           (select count(*) from (select from darkroom.posts o where o.uploader = p.uploader limit 1000) o),
           (select count(*) from darkroom.removals r where r.uploader = p.uploader)
    from darkroom.posts p cross join lateral darkroom.review_case(p.post_id) c
    where p.post_id = post_to_review.post_id
$$;
comment on function darkroom.post_to_review is
    'A post for its moderators, in any state: its texts and pictures, what can be decided now, and its latest 1,000 reports '
    '(without who reported, but with how many reports of the reporter are undecided, counted to 100), decisions and appeals, and how many posts its uploader has (counted to 1,000) and how many of them were removed. Pass seen to decide_on_post, so that a decision that came since is not '
    'overlooked. No row if there is no such post.';
