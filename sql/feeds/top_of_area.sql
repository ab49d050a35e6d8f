-- If the circle, or the period, has few posts, checks them one by one. Otherwise reads the lists of the tiles that the
-- circle touches, but only down to the lowest of the best posts of the tiles that lie within it, or of the one in its
-- middle. rest holds the other conditions; they use the parameters $1 to $7: place to from_id, in this order.
create or replace function darkroom.top_of_area(
    board darkroom.board, wanted integer, place bigint, in_activity text, in_category text,
    latitude double precision, longitude double precision, radius_m double precision,
    since timestamptz, until timestamptz, from_key double precision, from_id bigint, rest text,
    out ids bigint[], out keys double precision[], out metres double precision[]
)
language plpgsql stable set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
set enable_mergejoin = off set enable_sort = off set jit = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_variable
declare
    few_at_most   constant integer := darkroom.few_at_most();
    -- Fewer than elsewhere, because the posts' ranks lie scattered over the table.
    whole_at_most constant integer := darkroom.whole_at_most() / 4;
    inner_circle  circle;
    few         bigint[];
    tiles       bigint[];
    inner_tiles bigint[];
begin
    perform darkroom.check_coordinate(latitude, longitude);
    if not radius_m between 1 and 1e5 then
        raise exception using errcode = 'invalid_parameter_value', message = 'radius_m is out of range',
            hint = 'Give 1 to 100,000 metres; for a larger area, use the board of a place or of all posts.';
    end if;
    -- A circle that is not much smaller than a tile is read just as fast by tiles.
    if radius_m <= 500 then
        few := array(select f.post_id
                     from darkroom.boxes_around(latitude, longitude, radius_m) b
                     join darkroom.feed f on f.position <@ b and not f.is_stacked limit whole_at_most + 1);
        if cardinality(few) > whole_at_most then few := null; end if;
    end if;
    if few is null and since is not null then
        few := array(select f.post_id
                     from darkroom.tiles_around(latitude, longitude, radius_m, 15) t
                     join darkroom.feed f on f.tile = t.tile and f.published_at >= since
                                         and f.published_at < coalesce(until, 'infinity')
                     limit few_at_most + 1);
        if cardinality(few) > few_at_most then few := null; end if;
    end if;
    if few is not null then
        execute format(
            'select array_agg(post_id), array_agg(key), array_agg(m) from (
                 select * from (
                     select r.post_id, r.%1$I::float8 as key, m
                     from unnest($12) as w (post_id)
                     cross join lateral (select * from darkroom.ranks r where r.post_id = w.post_id %2$s) r
                     cross join lateral (select darkroom.point_distance_m($8, $9, r.position) as m) d
                     where m <= $10 offset 0) r
                 order by key desc, post_id desc limit $11) r', board, rest)
        into ids, keys, metres
        using place, in_activity, in_category, since, until, from_key, from_id, latitude, longitude, radius_m, wanted,
              few;
        return;
    end if;
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
                   from unnest($13) as t (tile)
                   cross join lateral (
                       select %1$I as key from darkroom.ranks
                       where tile = t.tile %2$s
                         and (position <@ $14 or darkroom.point_distance_m($8, $9, position) <= $10)
                       order by tile, %1$I desc, post_id desc limit least($11, 1 + 2 * $11 / cardinality($13))) h
                   order by h.key desc limit $11) h
             having count(*) = $11)
         select array_agg(post_id), array_agg(key::float8), array_agg(darkroom.point_distance_m($8, $9, position))
         from (select r.*
               from unnest($12) as t (tile)
               cross join lateral (
                   select post_id, %1$I as key, position from darkroom.ranks
                   where tile = t.tile and %1$I >= coalesce((select key from least), -2147483648) %2$s
                     and (position <@ $14 or darkroom.point_distance_m($8, $9, position) <= $10)
                   order by tile, %1$I desc, post_id desc limit $11) r
               order by r.key desc, r.post_id desc limit $11) r', board, rest)
    into ids, keys, metres
    using place, in_activity, in_category, since, until, from_key, from_id, latitude, longitude, radius_m, wanted,
          tiles, inner_tiles, inner_circle;
end $$;
comment on function darkroom.top_of_area is
    'The best posts of a board within some metres of a coordinate, for a page of top_posts. Errors: 22023 for an '
    'invalid coordinate or a radius out of range.';
