create or replace function darkroom.is_weighed(of_post bigint, of_comment bigint) returns boolean
language sql stable as $$
    select exists (
        select from (select d.decided_at, d.reports from darkroom.moderation_decisions d
                     where d.post_id = of_post and d.comment_id = of_comment order by d.decision_id desc limit 1) l
        where l.reports = (select count(*) from darkroom.reports r where r.post_id = of_post and r.comment_id = of_comment)
          and not exists (select from darkroom.reports r
                          where r.post_id = of_post and r.comment_id = of_comment and r.created_at > l.decided_at))
$$;
comment on function darkroom.is_weighed is 'Whether the latest decision on a post or comment has weighed all reports on it.';
