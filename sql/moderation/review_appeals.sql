create or replace function darkroom.review_appeals(of_post bigint, of_comment bigint) returns jsonb
language sql stable set enable_seqscan = off as $$
    select coalesce(jsonb_agg(jsonb_build_object(
               'appeal_id', a.appeal_id, 'text', a.text, 'created_at', a.created_at, 'decision_id', a.decision_id)
               order by a.appeal_id), '[]')
    from darkroom.appeals a where a.post_id = of_post and a.comment_id = of_comment
$$;
comment on function darkroom.review_appeals is
    'The appeals on a post, or on a comment below it, for moderators.';
