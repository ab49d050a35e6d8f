-- May be called by: api, reader
-- Example:
--   select cluster_id, posts, latitude, longitude, best_post_id from darkroom.map_clusters(47, -123, 48, -122, 10)
create or replace function darkroom.map_clusters(
    south darkroom.latitude, west darkroom.longitude, north darkroom.latitude, east darkroom.longitude, zoom double precision,
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
    viewer          darkroom.person default null
) returns setof darkroom.cluster
language plpgsql stable rows 500 security definer set search_path = pg_catalog, pg_temp set jit = off
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_variable
declare
    filter darkroom.post_filter;
begin
    if num_nonnulls(in_category, in_activity, in_place, by_uploader, published_since, published_until, taken_since, taken_until,
                    from_hour, to_hour, in_season) > 0
    then
        filter := darkroom.filter_of(
            in_category, in_activity, in_place, by_uploader, published_since, published_until, taken_since, taken_until,
            from_hour, to_hour, in_season);
    end if;
    return query
    select darkroom.cluster_number(m.level, m.x, m.y), m.posts, darkroom.plane_latitude(m.sum_y::float8 / 16 / m.posts),
           darkroom.plane_longitude(m.sum_x::float8 / 16 / m.posts), m.best
    from darkroom.tiles_in_box(
        south, west, north, east, darkroom.map_zoom(zoom),
        filter, viewer) m
    order by m.posts desc, m.x, m.y;
end $$;
comment on function darkroom.map_clusters is
    'What a map shows in a box in degrees at a zoom of 0 to 18 (rounded down; larger values count as 18): one cluster for every '
    'square of 64 pixels that has posts, with the count and mean position of these posts, and the number of the best '
    'one by hot. A filter counts only the posts that it keeps, and a viewer those of authors whom they have not blocked. A box that crosses 180 degrees has west greater than east. '
    'Errors: 22023 for an invalid box or filter, a box of more than 20,000 squares at this zoom, or a filter for which more than '
    '50,000 posts would have to be looked at: those of its rarest condition, or those in the box.';
