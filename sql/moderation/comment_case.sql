create or replace function darkroom.comment_case(of_comment bigint)
returns table (
    post_id bigint, state darkroom.post_state, is_appealed boolean, is_listed boolean, is_deleted boolean, is_undecided boolean,
    appeal_id bigint, removal bigint, latest bigint, latest_decider text, latest_at timestamptz, may_decide text[]
)
language sql stable set enable_seqscan = off as $$
    select k.*, array(
        select d from unnest(array['approve', 'remove', 'restore']) d
        where darkroom.review_outcome(
            d, k.state, k.is_appealed, false, k.is_listed, k.is_deleted, k.state = 'removed' and not k.is_deleted, k.is_undecided)
              is not null)
    from (
        select c.post_id, c.state, a.appeal_id is not null as is_appealed, l.is_listed, c.is_deleted, c.is_deleted and l.is_listed,
               a.appeal_id,
               (select max(d.decision_id) from darkroom.moderation_decisions d
                where d.post_id = c.post_id and d.comment_id = c.comment_id and d.decision = 'remove' and d.from_state <> 'removed'),
               d.decision_id, d.decider, d.decided_at
        from darkroom.comments c
        cross join lateral (
            select exists (select from darkroom.reviews r
                           where r.post_id = c.post_id and r.comment_id = c.comment_id) as is_listed) l
        left join darkroom.appeals a on a.post_id = c.post_id and a.comment_id = c.comment_id and a.decision_id is null
        left join lateral (
            select d.decision_id, d.decider, d.decided_at from darkroom.moderation_decisions d
            where d.post_id = c.post_id and d.comment_id = c.comment_id and d.decider is not null
            order by d.decision_id desc limit 1) d on true
        where c.comment_id = of_comment) as k (
            post_id, state, is_appealed, is_listed, is_deleted, is_undecided, appeal_id, removal, latest, latest_decider, latest_at)
$$;
comment on function darkroom.comment_case is
    'What a review of a comment finds now, as review_case says it of posts. is_undecided: it was deleted, and its text waits for a decision.';
