-- May be called by: api, reader
-- Example:
--   select latitude, longitude from darkroom.cluster_location(
--       (select cluster_id from darkroom.map_clusters(47, -123, 48, -122, 10) order by posts desc limit 1))
-- The mean position of a cluster's posts may lie in a cell of the location policy's grid whose centre is in another
-- cluster. A published position is such a centre, and stays where it is.
create or replace function darkroom.cluster_location(cluster_id bigint, out latitude double precision, out longitude double precision)
language sql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
    select coalesce(p.latitude, darkroom.plane_latitude(m.sum_y::float8 / 16 / m.posts)),
           coalesce(p.longitude, darkroom.plane_longitude(m.sum_x::float8 / 16 / m.posts))
    from darkroom.map_tiles m
    -- It may have left the cluster, or readers no longer see it, since the last tally.
    left join darkroom.posts p
    on p.post_id = m.best
       and darkroom.is_visible(p.post_id)
       and darkroom.tile_at(darkroom.plane_x(p.longitude), darkroom.plane_y(p.latitude), m.level) = m.x::bigint << 26 | m.y
    where m.level = cluster_id >> 40 and m.x = (cluster_id >> 20) & 1048575 and m.y = cluster_id & 1048575
$$;
comment on function darkroom.cluster_location is
    'The position, in degrees, to give an upload that should join a cluster: that of its best post, which stays in the cluster '
    'when the location policy moves it to its grid; nulls if the cluster no longer has any posts.';
