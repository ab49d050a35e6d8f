-- May be called by: api, reader
-- Example:
--   select cluster, posts, latitude, longitude, best from darkroom.map_clusters(47, -123, 48, -122, 10)
create or replace function darkroom.map_clusters(
    south darkroom.latitude, west darkroom.longitude, north darkroom.latitude, east darkroom.longitude, zoom integer
) returns setof darkroom.cluster
language sql stable rows 500 security definer set search_path = pg_catalog, pg_temp set jit = off as $$
    select darkroom.cluster_number(m.level, m.x, m.y), m.posts, darkroom.plane_latitude(m.sum_y::float8 / 16 / m.posts),
           darkroom.plane_longitude(m.sum_x::float8 / 16 / m.posts), m.best
    from darkroom.tiles_in_box(south, west, north, east, darkroom.map_zoom(zoom)) m
    order by m.posts desc, m.x, m.y
$$;
comment on function darkroom.map_clusters is
    'What a map shows in a box in degrees at a zoom of 0 to 18 (larger values count as 18): one cluster for every '
    'square of 64 pixels that has posts, with the count and mean position of these posts, and the number of the best '
    'one by hot. A box that crosses 180 degrees has west greater than east. Errors: 22023 for an invalid box, or one '
    'of more than 20,000 squares at this zoom.';
