-- May be called by: api, reader
-- Example:
--   select (post).headline, (post).likes, my_vote from darkroom.post_details(1, viewer => 'user-9')
-- PL/pgSQL keeps the plan for the session; planning each call would take four fifths of its time.
create or replace function darkroom.post_details(post_id bigint, viewer darkroom.person default null)
returns table (post darkroom.feed_post, my_vote darkroom.vote)
language plpgsql stable rows 1 security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off
set jit = off set extra_float_digits = 1 set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
    target bigint := $1;
    person text := case when $2 is not null and darkroom.votes_for_people() then $2 end;
begin
    return query
    select row(s.post_id, s.published_at, s.uploader, s.display_name, s.author_handle, s.anonymous, s.headline, s.caption, s.link, s.category, s.activity, s.taken_at,
               s.taken_at_local, s.time_zone, s.latitude, s.longitude, s.location_precision, s.location_accuracy_m, s.country_geonameid, s.country_code, s.country_name,
               s.division_geonameid, s.division_code, s.division_name, s.city_geonameid, s.city_name, s.place_geonameid, s.place_name, s.width, s.height,
               s.placeholder, s.pictures,
               s.likes + coalesce(w.likes, 0), s.dislikes + coalesce(w.dislikes, 0),
               s.comments + coalesce(w.comments, 0), s.views + coalesce(w.views, 0), null, null, null)::darkroom.feed_post,
           (select v.vote from darkroom.votes v where v.post_id = target and v.voter = person)
    from darkroom.show_posts('post', array[target], null, null) s
    left join lateral (
        select sum(c.likes) as likes, sum(c.dislikes) as dislikes, sum(c.comments) as comments, sum(c.views) as views
        from darkroom.counter_changes c where c.post_id = target and c.comment_id is null) w on true;
end $$;
comment on function darkroom.post_details is
    'One visible post, with up-to-date counters and the viewer''s own vote. The role reader, which acts for nobody, '
    'gets null for every vote. No row if there is no such visible post.';
