create or replace function darkroom.review_case(of_post bigint)
returns table (
    state darkroom.post_state, is_appealed boolean, is_over boolean, is_located_too_exactly boolean, is_listed boolean,
    is_leaving boolean, is_removed boolean, is_undecided boolean, is_new boolean, appeal_id bigint, removal bigint,
    latest bigint, latest_decider text, latest_at timestamptz, moment timestamptz, may_decide text[]
)
language sql stable set enable_seqscan = off as $$
    select c.state, c.is_appealed, c.is_over, c.is_located_too_exactly, c.is_listed, c.is_leaving, c.is_removed,
           c.is_undecided, c.is_new, c.appeal_id, c.removal, c.latest, c.latest_decider, c.latest_at, clock_timestamp(), array(
        select d from unnest(array['approve', 'remove', 'restore']) d
        where darkroom.review_outcome(
            d, c.state, c.is_appealed, c.is_over, c.is_listed, c.is_leaving, c.is_removed, c.is_undecided) is not null)
    from (
        select p.state, a.appeal_id is not null as is_appealed,
               -- The time of a post that readers have never seen starts with its approval.
               coalesce(darkroom.expiry_for(
                   p.category, p.activity, case when n.is_new then clock_timestamp() else p.published_at end)
                   <= clock_timestamp(), false) as is_over,
               darkroom.is_located_too_exactly(p.post_id) as is_located_too_exactly,
               f.is_listed, f.is_leaving, f.is_removed, f.is_leaving and f.is_listed and not f.is_removed as is_undecided,
               n.is_new, a.appeal_id,
               (select max(d.decision_id) from darkroom.moderation_decisions d
                where d.post_id = p.post_id and d.comment_id = 0 and d.decision = 'remove' and d.from_state <> 'removed') as removal,
               l.decision_id as latest, l.decider as latest_decider, l.decided_at as latest_at
        from darkroom.posts p
        cross join lateral (
            select exists (select from darkroom.reviews r where r.post_id = p.post_id and r.comment_id = 0) as is_listed,
                   exists (select from darkroom.post_erasures e where e.post_id = p.post_id) as is_leaving,
                   exists (select from darkroom.removals r where r.post_id = p.post_id) as is_removed) f
        cross join lateral (
            select exists (select from darkroom.moderation_decisions d
                           where d.post_id = p.post_id and d.comment_id = 0 and d.decision = 'hold')
                   and not exists (select from darkroom.moderation_decisions d
                                   where d.post_id = p.post_id and d.comment_id = 0 and d.to_state = 'published') as is_new) n
        left join darkroom.appeals a on a.post_id = p.post_id and a.comment_id = 0 and a.decision_id is null
        left join lateral (
            select d.decision_id, d.decider, d.decided_at from darkroom.moderation_decisions d
            where d.post_id = p.post_id and d.comment_id = 0 and d.decider is not null order by d.decision_id desc limit 1) l on true
        where p.post_id = of_post) c
$$;
comment on function darkroom.review_case is
    'What a review of a post finds now: its state, whether its uploader has appealed, its time is over, a stricter location '
    'policy is in force than the one under which its location was published, the review list has it, its erasure is ordered, a '
    'removal stands, the erasure waits for a decision, and readers have never seen it; the open appeal, the decision that removed it, the latest decision of a '
    'person, and which decisions apply.';
