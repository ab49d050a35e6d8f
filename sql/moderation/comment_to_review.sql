-- May be called by: moderator
-- Example:
--   select state, body, may_decide, reports from darkroom.comment_to_review(comment_id => 1)
create or replace function darkroom.comment_to_review(comment_id bigint)
returns table (
    comment_id bigint, post_id bigint, state text, author text, body text, created_at timestamptz, may_decide text[], seen bigint,
    is_deleted boolean, reports jsonb, decisions jsonb, appeals jsonb, author_comments bigint, author_removals bigint
)
language sql stable rows 1 security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off
set jit = off as $$
    select c.comment_id, c.post_id, c.state::text, c.author, c.body, c.created_at, k.may_decide, coalesce(k.latest, 0), c.is_deleted,
           darkroom.review_reports(c.post_id, c.comment_id), darkroom.review_decisions(c.post_id, c.comment_id),
           darkroom.review_appeals(c.post_id, c.comment_id),
           (select count(*) from (select from darkroom.comments o where o.author = c.author limit 1000) o),
           (select count(*) from (select from darkroom.comments o
                                  where o.author = c.author and o.state = 'removed' and not o.is_deleted limit 1000) o)
    from darkroom.comments c cross join lateral darkroom.comment_case(c.comment_id) k
    where c.comment_id = comment_to_review.comment_id
$$;
comment on function darkroom.comment_to_review is
    'A comment for its moderators, in any state: what can be decided now, and its latest 1,000 reports (as in post_to_review), decisions and '
    'appeals, how many comments its author has (counted to 1,000), and how many of them a review has removed (counted to 1,000). No row if there is no such comment.';
