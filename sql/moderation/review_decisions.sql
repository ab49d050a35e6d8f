create or replace function darkroom.review_decisions(of_post bigint, of_comment bigint) returns jsonb
language sql stable set enable_seqscan = off as $$
    select coalesce(jsonb_agg(jsonb_build_object(
               'decision_id', d.decision_id, 'decision', d.decision, 'cause', d.cause, 'decider', d.decider,
               'note', d.note, 'score', d.score, 'reports', d.reports, 'decided_at', d.decided_at,
               'similar_to', d.similar_to, 'hash_list', d.hash_list_name, 'hash_distance', d.hash_distance)
               order by d.decision_id), '[]')
    from (select * from darkroom.moderation_decisions o where o.post_id = of_post and o.comment_id = of_comment
          order by o.decision_id desc limit 1000) d
$$;
comment on function darkroom.review_decisions is
    'The latest 1,000 decisions on a post, or on a comment below it, for moderators.';
