create or replace function darkroom.newest_close_by(
    latitude double precision, longitude double precision, radius_m double precision, wanted integer,
    before timestamptz, from_id bigint, earliest timestamptz, in_category text, in_activity text, boxes box[],
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
    -- A second box is the first one repeated beyond 180 degrees.
    square constant box := boxes[1];
    tiles  constant bigint[] := array(
        select ((x + 1048576) % 1048576)::bigint << 26 | y
        from generate_series(floor((square[1])[0] / 64)::integer, floor((square[0])[0] / 64)::integer) x,
             generate_series(least(1048575, greatest(0, floor((square[1])[1] / 64)))::integer,
                             least(1048575, greatest(0, floor((square[0])[1] / 64)))::integer) y);
begin
    -- The hour and the season are in the indexes that are read here.
    if not further is null then
        taken_hours := further.taken_hours;
        taken_season := further.taken_season;
        has_further := darkroom.needs_row(further);
    end if;
    with newest as materialized (
        select min(h.published_at) as at
        from (select h.published_at
              from unnest(tiles) as t (tile)
              cross join lateral (
                  select f.published_at
                  from darkroom.feed f
                  where f.leaf = t.tile and f.published_at <= before and f.published_at >= earliest
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
                  order by f.leaf, f.published_at desc, f.post_id desc
                  limit least(wanted, 1 + 2 * wanted / cardinality(tiles))) h
              order by h.published_at desc limit wanted) h
        having count(*) = wanted)
    select array_agg(n.post_id), array_agg(extract(epoch from n.published_at) * 1000000),
           array_agg(darkroom.point_distance_m(latitude, longitude, n.position))
    into ids, keys, metres
    from (select f.post_id, f.published_at, f.position
          from unnest(tiles) as t (tile)
          cross join lateral (
              select f.post_id, f.published_at, f.position
              from darkroom.feed f
              where f.leaf = t.tile and f.published_at <= before
                and f.published_at >= coalesce((select at from newest), earliest)
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
              order by f.leaf, f.published_at desc, f.post_id desc limit wanted) f
          order by f.published_at desc, f.post_id desc limit wanted) n;
end $$;
comment on function darkroom.newest_close_by is
    'Like newest_in_tile, for circles so small that they touch few tiles of level 20, so that it needs no distances to '
    'the tiles.';
