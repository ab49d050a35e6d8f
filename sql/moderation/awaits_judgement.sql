-- A review that is not binding waits for nobody. A report that a moderation has not weighed is newer than the latest decision, or one more than that decision counted: its
-- transaction may have begun before the decision and committed after it. Reports on a post that a review has removed
-- change nothing.
create or replace function darkroom.awaits_judgement(of_post bigint) returns boolean
language sql stable as $$
    select not exists (select from darkroom.removals x where x.post_id = of_post)
       and (exists (select from darkroom.reviews r where r.post_id = of_post and r.comment_id = 0 and r.is_binding)
            or exists (
                select from (select) as one left join lateral (
                    select d.decided_at, d.reports from darkroom.moderation_decisions d
                    where d.post_id = of_post and d.comment_id = 0 order by d.decision_id desc limit 1) l on true
                where exists (select from darkroom.reports r
                              where r.post_id = of_post and r.comment_id = 0 and r.is_agreed is null
                                and (l.decided_at is null or r.created_at > l.decided_at
                                     or l.reports < (select count(*) from darkroom.reports o where o.post_id = of_post and o.comment_id = 0)))))
$$;
comment on function darkroom.awaits_judgement is
    'Whether a binding review of the post is open, or a report on it has yet to be weighed. False once a review has removed it.';
