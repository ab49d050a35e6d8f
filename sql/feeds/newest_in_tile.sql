-- Copy: newest_in_wide_tile, with wide_tile for tile
-- Copy: newest_in_leaf, with leaf for tile
-- Replaces: newest_in_tile(double precision, double precision, double precision, integer, timestamp with time zone, bigint, timestamp with time zone, text, text, box[], darkroom.post_filter, boolean)
create or replace function darkroom.newest_in_tile(
    tiles bigint[], inner_tiles bigint[], latitude double precision, longitude double precision, radius_m double precision,
    wanted integer, before timestamptz, from_id bigint, earliest timestamptz, in_category text, in_activity text, boxes box[],
    further darkroom.post_filter, without_votes boolean,
    out ids bigint[], out keys double precision[], out metres double precision[]
)
language plpgsql stable as $$
#variable_conflict use_variable
declare
    has_further  boolean := false;
    taken_hours  integer;
    taken_season text;
    inner_circle constant circle := darkroom.inner_circle(latitude, longitude, radius_m);
    least_time   timestamptz;
begin
    -- The hour and the season are in the indexes that are read here.
    if not further is null then
        taken_hours := further.taken_hours;
        taken_season := further.taken_season;
        has_further := darkroom.needs_row(further);
    end if;
    select min(h.published_at) into least_time
    from (select h.published_at
          from unnest(inner_tiles) as t (tile)
          cross join lateral (
              select f.published_at
              from darkroom.feed f
              where f.tile = t.tile and f.published_at <= before and f.published_at >= earliest
                and (f.position <@ inner_circle
                     or (f.position <@ boxes[1] or f.position <@ boxes[2])
                        and darkroom.point_distance_m(latitude, longitude, f.position) <= radius_m)
                and (f.published_at, f.post_id) < (before, from_id) and f.expires_at > now()
                and (in_category is null or f.category = in_category) and (in_activity is null or f.activity = in_activity)
                and (taken_hours is null or taken_hours >> f.taken_hour & 1 = 1)
                and (taken_season is null or f.taken_season = taken_season)
                and (not has_further or exists (
                        select from darkroom.feed o where o.post_id = f.post_id and darkroom.passes(further, o) offset 0))
                and (not without_votes or not exists (select from darkroom.ranks r where r.post_id = f.post_id offset 0))
              order by f.tile, f.published_at desc, f.post_id desc
              limit least(wanted, 1 + 2 * wanted / cardinality(inner_tiles))) h
          order by h.published_at desc limit wanted) h
    having count(*) = wanted;
    least_time := coalesce(least_time, earliest);
    select array_agg(n.post_id), array_agg(extract(epoch from n.published_at) * 1000000),
           array_agg(darkroom.point_distance_m(latitude, longitude, n.position))
    into ids, keys, metres
    from (select f.post_id, f.published_at, f.position
          from unnest(tiles) as t (tile)
          cross join lateral (
              select f.post_id, f.published_at, f.position
              from darkroom.feed f
              where f.tile = t.tile and f.published_at <= before and f.published_at >= least_time
                and (f.position <@ inner_circle
                     or (f.position <@ boxes[1] or f.position <@ boxes[2])
                        and darkroom.point_distance_m(latitude, longitude, f.position) <= radius_m)
                and (f.published_at, f.post_id) < (before, from_id) and f.expires_at > now()
                and (in_category is null or f.category = in_category) and (in_activity is null or f.activity = in_activity)
                and (taken_hours is null or taken_hours >> f.taken_hour & 1 = 1)
                and (taken_season is null or f.taken_season = taken_season)
                and (not has_further or exists (
                        select from darkroom.feed o where o.post_id = f.post_id and darkroom.passes(further, o) offset 0))
                and (not without_votes or not exists (select from darkroom.ranks r where r.post_id = f.post_id offset 0))
              order by f.tile, f.published_at desc, f.post_id desc limit wanted) f
          order by f.published_at desc, f.post_id desc limit wanted) n;
end $$;
comment on function darkroom.newest_in_tile is
    'The newest posts of a circle that come after a cursor and since a time, for posts_within. It reads the lists of '
    'the tiles that the circle touches; the inner ones lie within it. boxes are the one or two around the circle, because '
    'comparing with them is faster than computing a distance. The planner settings are those of posts_within.';
