create or replace function darkroom.review_reports(of_post bigint, of_comment bigint) returns jsonb
language sql stable set enable_seqscan = off as $$
    select coalesce(jsonb_agg(jsonb_build_object(
               'reason', r.reason, 'details', r.details, 'reported_at', r.created_at, 'counted', r.counted,
               'group', r.group_number, 'disregarded', r.disregarded, 'agreed', r.reporter_agreed,
               'disagreed', r.reporter_disagreed, 'is_agreed', r.is_agreed,
               'undecided', (select count(*) from (select from darkroom.reports u
                                                   where u.reporter = r.reporter and u.is_agreed is null limit 100) u))
               order by r.created_at), '[]')
    from (select * from darkroom.reports o where o.post_id = of_post and o.comment_id = of_comment
          order by o.created_at desc limit 1000) r
$$;
comment on function darkroom.review_reports is
    'The latest 1,000 reports on a post, or on a comment below it, for moderators: without who reported.';
