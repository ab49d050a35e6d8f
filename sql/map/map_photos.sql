-- May be called by: api, reader
-- Example:
--   select post_id, pictures from darkroom.map_photos(47, -123, 48, -122, 10)
create or replace function darkroom.map_photos(
    south darkroom.latitude, west darkroom.longitude, north darkroom.latitude, east darkroom.longitude, zoom double precision,
    at_most         bigint default 20,
    in_category     text default null,
    in_activity     text default null,
    in_place        darkroom.place_key default null,
    by_uploader     text default null,
    published_since timestamptz default null,
    published_until timestamptz default null,
    taken_since     timestamptz default null,
    taken_until     timestamptz default null,
    from_hour       integer default null,
    to_hour         integer default null,
    in_season       text default null,
    viewer          darkroom.person default null,
    latitude        darkroom.latitude default null,
    longitude       darkroom.longitude default null
) returns setof darkroom.feed_post
language plpgsql stable rows 30 security definer set search_path = pg_catalog, pg_temp set jit = off
set extra_float_digits = 1 set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_variable
declare
    wanted integer := darkroom.page_size(at_most);
    ids    bigint[];
    keys   double precision[];
    filter darkroom.post_filter;
    metres  double precision[];
begin
    if num_nonnulls(in_category, in_activity, in_place, by_uploader, published_since, published_until, taken_since, taken_until,
                    from_hour, to_hour, in_season) > 0
    then
        filter := darkroom.filter_of(
            in_category, in_activity, in_place, by_uploader, published_since, published_until, taken_since, taken_until,
            from_hour, to_hour, in_season);
    end if;
    select array_agg(b.best), array_agg(b.best_hot) into ids, keys
    from (select m.best, m.best_hot
          from darkroom.tiles_in_box(
              south, west, north, east, darkroom.map_zoom(zoom - 1),
              filter, viewer) m
          order by m.best_hot desc, m.best desc limit wanted) b;
    metres := darkroom.distances_of(ids, latitude, longitude);
    return query select * from darkroom.show_posts('photos', ids, keys, metres, viewer);
end $$;
comment on function darkroom.map_photos is
    'Which photos to show on a map in a box in degrees at a zoom of 0 to 18, rounded down: the best by hot, at most one from each '
    'square of 128 pixels. With a filter, of those that it keeps. at_most is 1 to 100 (values outside are clamped). distance_m is from the coordinate, if one is given. Errors: '
    '22023 for an invalid box or filter, a box too large for this zoom, or too many posts to look at, as for map_clusters.';
