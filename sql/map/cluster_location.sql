-- May be called by: api, reader
-- Example:
--   select latitude, longitude from darkroom.cluster_location(
--       (select cluster_id from darkroom.map_clusters(47, -123, 48, -122, 10) order by posts desc limit 1))
create or replace function darkroom.cluster_location(cluster_id bigint, out latitude double precision, out longitude double precision)
language sql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
    select darkroom.plane_latitude(m.sum_y::float8 / 16 / m.posts), darkroom.plane_longitude(m.sum_x::float8 / 16 / m.posts)
    from darkroom.map_tiles m
    where m.level = cluster_id >> 40 and m.x = (cluster_id >> 20) & 1048575 and m.y = cluster_id & 1048575
$$;
comment on function darkroom.cluster_location is
    'The mean position of the posts of a cluster, in degrees; nulls if it no longer has any.';
