-- May be called by: api
-- Example:
--   select state, reason, headline, post_id, cursor from darkroom.uploader_posts('user-17', at_most => 20)
create or replace function darkroom.uploader_posts(
    uploader darkroom.person, at_most bigint default 20, after darkroom.cursor default null)
returns setof darkroom.own_post
language plpgsql stable rows 20 security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off
set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
    whose  text := $1;
    wanted integer := darkroom.page_size(at_most);
    before bigint := 9223372036854775807;
begin
    if after is not null then
        if after !~ '^own:[0-9]{1,18}$' then
            perform darkroom.bad_cursor(after);
        end if;
        before := substr(after, 5)::bigint;
    end if;
    return query
    select u.job_id, p.post_id, s.state, coalesce(d.cause, f.reason), coalesce(darkroom.cause_message(p.state, d.cause), f.message),
           u.created_at, case when p.state <> 'held' then p.published_at end, p.expires_at,
           case when p.post_id is null then u.headline else p.headline end,
           case when p.post_id is null then u.caption else p.caption end, u.link,
           case when p.post_id is null then u.category else p.category end, u.activity,
           u.venue_id, u.venue_name, u.credit, u.licence,
           coalesce(p.pictures, '[]'), coalesce(c.likes, 0), coalesce(c.dislikes, 0),
           case when c.comments > 0 then greatest(0, c.comments - darkroom.blocked_comments(whose, p.post_id, c.comments)) else 0 end::integer,
           coalesce(c.views, 0), 'own:' || u.upload_id
    from darkroom.uploads u
    left join darkroom.posts p on p.upload_id = u.upload_id
    left join darkroom.post_counters c on c.post_id = p.post_id
    left join lateral (
        select h.state, h.reason, h.message from darkroom.finished_jobs h
        where h.job_id = u.job_id and p.post_id is null and not exists (select from darkroom.jobs j where j.job_id = u.job_id)
        order by h.finished_at desc limit 1) f on true
    left join lateral (
        select m.cause from darkroom.moderation_decisions m
        where m.post_id = p.post_id and m.comment_id = 0 and p.state in ('held', 'hidden', 'removed') and m.to_state = p.state
        order by m.decision_id desc limit 1) d on true
    cross join lateral (
        select case when p.state = 'published' and p.expires_at <= now() then 'expired'
                    when p.post_id is not null then p.state::text
                    when f.state is not null then f.state::text when u.is_draft then 'draft' else 'waiting' end as state) s
    where u.uploader = whose and u.upload_id < before
      -- What the uploader has deleted is being erased.
      and not exists (select from darkroom.post_erasures e where e.post_id = p.post_id and e.cause in ('uploader', 'person'))
      and (f.state is null or f.state <> 'succeeded')
    order by u.upload_id desc limit wanted;
end $$;
comment on function darkroom.uploader_posts is
    'The uploads of a person, latest first, each with its state and, if it was rejected, held, hidden or removed, the reason. '
    'Uploads whose posts the person has deleted are left out. at_most is 1 to 100 (values outside are clamped). after is the '
    'cursor of the last row of the page before. Errors: 22023 for a cursor of another list.';
