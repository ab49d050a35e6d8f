-- May be called by: api, reader
-- Example:
--   select headline, likes, my_vote from darkroom.post_details(1, viewer => 'user-9')
-- PL/pgSQL keeps the plan for the session; planning each call would take four fifths of its time.
create or replace function darkroom.post_details(
    post_id bigint, viewer darkroom.person default null, latitude darkroom.latitude default null,
    longitude darkroom.longitude default null)
returns setof darkroom.feed_post
language plpgsql stable rows 1 security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off
set jit = off set extra_float_digits = 1 set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_variable
declare
    shown darkroom.feed_post;
    metres constant double precision[] := darkroom.distances_of(array[post_id], latitude, longitude);
    late  record;
begin
    select * into shown from darkroom.show_posts('post', array[post_id], null, metres, viewer);
    if shown.post_id is null then
        return;
    end if;
    select coalesce(sum(c.likes), 0) as likes, coalesce(sum(c.dislikes), 0) as dislikes,
           coalesce(sum(c.comments), 0) as comments, coalesce(sum(c.views), 0) as views
    into late
    from darkroom.counter_changes c where c.post_id = post_details.post_id and c.comment_id is null;
    shown.likes := shown.likes + late.likes;
    shown.dislikes := shown.dislikes + late.dislikes;
    shown.comments := shown.comments + late.comments;
    shown.views := shown.views + late.views;
    return next shown;
end $$;
comment on function darkroom.post_details is
    'One visible post as feeds have it, with up-to-date counters; score and cursor are null, and distance_m too unless a coordinate is given. my_vote is the '
    'viewer''s own vote; the role reader, which acts for nobody, gets null for every vote. No row if there is no such '
    'visible post.';
