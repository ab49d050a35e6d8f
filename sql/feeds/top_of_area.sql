-- Reads the lists of the tiles that the circle touches, but only down to the lowest of the best posts of the tiles that lie
-- within it, or of the one in its middle. rest holds the other conditions of ranks r; they use the parameters $1 to $3:
-- filter, from_key and from_id.
create or replace function darkroom.top_of_area(
    board text, filter darkroom.post_filter, wanted integer, latitude double precision, longitude double precision,
    radius_m double precision, from_key double precision, from_id bigint, rest text,
    out ids bigint[], out keys double precision[], out metres double precision[]
)
language plpgsql stable as $$
#variable_conflict use_variable
declare
    inner_circle circle;
    tiles        bigint[];
    inner_tiles  bigint[];
begin
    inner_circle := darkroom.inner_circle(latitude, longitude, radius_m);
    select array_agg(t.tile order by t.near_m),
           array_agg(t.tile order by t.near_m) filter (
               where t.near_m + 57000000 * cos(radians(abs(latitude))) / 2 ^ 15 < radius_m)
    into tiles, inner_tiles
    from darkroom.tiles_around(latitude, longitude, radius_m, 15) t;
    inner_tiles := coalesce(inner_tiles, tiles[1:1]);
    execute format(
        'with least as materialized (
             select min(key) as key
             from (select h.key
                   from unnest($9) as t (tile)
                   cross join lateral (
                       select r.%1$I as key from darkroom.ranks r
                       where r.tile = t.tile %2$s
                         and (r.position <@ $10 or darkroom.point_distance_m($5, $6, r.position) <= $7)
                       order by r.tile, r.%1$I desc, r.post_id desc limit least($4, 1 + 2 * $4 / cardinality($9))) h
                   order by h.key desc limit $4) h
             having count(*) = $4)
         select array_agg(n.post_id), array_agg(n.key::float8), array_agg(darkroom.point_distance_m($5, $6, n.position))
         from (select l.*
               from unnest($8) as t (tile)
               cross join lateral (
                   select r.post_id, r.%1$I as key, r.position from darkroom.ranks r
                   where r.tile = t.tile and r.%1$I >= coalesce((select key from least), -2147483648) %2$s
                     and (r.position <@ $10 or darkroom.point_distance_m($5, $6, r.position) <= $7)
                   order by r.tile, r.%1$I desc, r.post_id desc limit $4) l
               order by l.key desc, l.post_id desc limit $4) n', board, rest)
    into ids, keys, metres
    using filter, from_key, from_id, wanted, latitude, longitude, radius_m, tiles, inner_tiles, inner_circle;
end $$;
comment on function darkroom.top_of_area is
    'The best posts of a board within some metres of a coordinate, for a page of top_posts, whose '
    'planner settings it uses.';
