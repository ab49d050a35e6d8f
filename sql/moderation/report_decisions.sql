-- May be called by: api
-- Example:
--   select post_id, reason, decision, decided_at from darkroom.report_decisions(reporter => 'user-9')
create or replace function darkroom.report_decisions(reporter darkroom.person, at_most bigint default 20, after darkroom.cursor default null)
returns table (
    post_id      bigint,
    comment_id   bigint,
    reason       text,
    reported_at  timestamptz,
    decision     text,
    decided_at   timestamptz,
    is_automatic boolean,
    redress      text,
    cursor       text
)
language sql stable rows 20 security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off
set jit = off as $$
    select r.post_id, nullif(r.comment_id, 0), r.reason::text, r.reported_at, t.decision, d.decided_at, d.decider is null and d.decision_id is not null,
           case when d.decision_id is not null then (
               select m.redress from darkroom.moderation_policies m where m.version = d.policy_version) end,
           format('reports:%s~%s', (extract(epoch from r.reported_at) * 1000000)::bigint, r.report_id)
    from (select o.report_id, o.post_id, o.comment_id, o.reason, o.created_at as reported_at, o.is_agreed, o.judged_by
          from darkroom.reports o
          where o.reporter = report_decisions.reporter
            and (after is null
                 or (o.created_at, o.report_id) < (
                     timestamptz 'epoch' + darkroom.cursor_key('reports', after)::bigint * interval '1 microsecond',
                     darkroom.cursor_post(after)))
          order by o.created_at desc, o.report_id desc
          limit least(100, greatest(1, coalesce(at_most, 20)))) r
    join darkroom.posts p using (post_id)
    left join darkroom.comments c on c.comment_id = r.comment_id
    cross join lateral (select case when r.comment_id = 0 or c.state = 'published' and p.state in ('removed', 'expired') then p.state
                                  else coalesce(c.state, 'removed') end as state) s
    cross join lateral (
        -- A later review may have removed a post that an earlier one approved.
        select case when r.is_agreed or r.comment_id = 0 and exists (select from darkroom.removals x where x.post_id = r.post_id)
                         or c.state = 'removed' and not c.is_deleted then 'removed'
                    when not r.is_agreed then 'kept'
                    when s.state = 'hidden' then 'hidden'
                    when s.state in ('removed', 'expired')
                         and not exists (select from darkroom.reviews v where v.post_id = r.post_id and v.comment_id = r.comment_id) then 'gone'
                    else 'waiting' end as decision) t
    left join lateral (
        select m.decision_id, m.decided_at, m.decider, m.policy_version from darkroom.moderation_decisions m
        where m.post_id = r.post_id and m.comment_id = r.comment_id
          and case t.decision when 'hidden' then m.decision = 'hide'
                              when 'removed' then m.decision = 'remove'
                              when 'kept' then m.decision_id = r.judged_by else false end
        order by m.decision_id desc limit 1) d on true
    order by r.reported_at desc, r.report_id desc
$$;
comment on function darkroom.report_decisions is
    'What became of a person''s own reports, latest first, so that an app can tell the reporter. comment_id is null for a report on the post '
    'itself. decision is waiting (nobody '
    'has decided), hidden (the rules have hidden the post or comment until a person decides), removed or kept (a person has decided), '
    'or gone (it expired or was deleted before that). is_automatic says whether rules alone decided; '
    'redress says what the reporter can do about it. Reports on an erased post or comment are erased with it. at_most is 1 to 100 '
    '(values outside are clamped); after is the cursor of the last row of the previous page. Errors: 22023 for a text that '
    'is not a cursor of this list.';
