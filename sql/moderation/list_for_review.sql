-- All that enters the review list, or is added to it, comes through here. While a post is listed for its reports alone (score, reported), its place follows what
-- they say; whatever else lists it can only be added to: it stays binding, and as severe as it was.
create or replace function darkroom.list_for_review(
    of_post bigint, cause text, severity integer default null, score double precision default null,
    is_binding boolean default true, appeal bigint default null, weighed_by integer default null,
    weigh_at timestamptz default null, of_comment bigint default 0) returns void
language sql as $$
    insert into darkroom.reviews as r (post_id, comment_id, cause, severity, score, is_binding, appeal_id, weighed_by, weigh_at)
    values (of_post, of_comment, coalesce(list_for_review.cause, 'reported'),
            coalesce(list_for_review.severity, darkroom.review_severity(list_for_review.cause)),
            coalesce(list_for_review.score, 0), list_for_review.is_binding, list_for_review.appeal,
            coalesce(list_for_review.weighed_by, 0), list_for_review.weigh_at)
    on conflict (post_id, comment_id) do update
    set (cause, severity, is_binding) = (
            select case when k.follows then excluded.cause
                        when list_for_review.cause is null or excluded.cause = 'appeal' then r.cause
                        when k.was_by_reports then excluded.cause
                        when k.is_by_reports or darkroom.review_severity(excluded.cause) < darkroom.review_severity(r.cause)
                        then r.cause
                        else excluded.cause end,
                   case when k.follows then excluded.severity else greatest(r.severity, excluded.severity) end,
                   case when k.follows then excluded.is_binding else r.is_binding or excluded.is_binding end
            from (select b.*, r.appeal_id is null and b.was_by_reports
                              and list_for_review.cause is not distinct from 'reported' as follows
                  from (select r.cause in ('score', 'reported') as was_by_reports,
                               excluded.cause in ('score', 'reported') as is_by_reports) b) k),
        score = coalesce(list_for_review.score, r.score),
        appeal_id = coalesce(excluded.appeal_id, r.appeal_id),
        weighed_by = coalesce(list_for_review.weighed_by, r.weighed_by),
        weigh_at = case when list_for_review.weighed_by is null then r.weigh_at else excluded.weigh_at end
$$;
comment on function darkroom.list_for_review is
    'Puts a post, or a comment below it, into the review list, or adds to why it is there. cause null keeps the cause that it has. severity is 0 to 9, '
    'by default that of the cause; score, weighed_by and weigh_at are what its reports come to, null if they were not weighed.';
