-- Feeds of small circles and boards of areas that take no longer where posts lie ten times as dense; circles of any size, and
-- beyond the square of the map; cursors that know their feed; and what was found by trying to get feeds out of step.

alter table darkroom.feed add column near_tile bigint not null
    generated always as (darkroom.tile_at(position[0], position[1], 18)) stored;
comment on table darkroom.feed is
    'One row for every post that readers see. near_tile is that of zoom level 18 (153 m at the equator), tile of 15 (1.2 km), wide_tile of 11.';
create index feed_near_tile on darkroom.feed (near_tile, published_at desc, post_id desc)
    include (position, expires_at, category, event);

-- A place's board reads the heads of its weeks' lists, and only what is shown from the table.
drop index darkroom.ranks_place_likes;
create index ranks_place_likes on darkroom.ranks (place, week, likes desc, post_id desc)
    include (published_at, expires_at) where place is not null;
drop index darkroom.ranks_place_wilson;
create index ranks_place_wilson on darkroom.ranks (place, week, wilson desc, post_id desc)
    include (published_at, expires_at) where place is not null;
drop index darkroom.ranks_place_weighted;
create index ranks_place_weighted on darkroom.ranks (place, week, weighted desc, post_id desc)
    include (published_at, expires_at) where place is not null;
drop index darkroom.ranks_place_hot;
create index ranks_place_hot on darkroom.ranks (place, week, hot desc, post_id desc)
    include (published_at, expires_at) where place is not null;

-- Of a large circle only the tiles that hold posts are answered: it used to be refused, at the poles of any size. And one that
-- lies beyond the square of the map touches the tiles at its edge; it used to touch none.
create or replace function darkroom.tiles_around(
    latitude double precision, longitude double precision, metres double precision, level integer,
    out tile bigint, out near_m double precision
) returns setof record
language plpgsql stable rows 60 as $$
#variable_conflict use_variable
declare
    reach  double precision := degrees(metres / 6371008.8) * 1.0000001;
    cosine double precision := cos(radians(least(90, abs(latitude) + reach)));
    size   double precision := 2.0 ^ (26 - level);
    world  integer := 2 ^ level;
    x      double precision := darkroom.plane_x(longitude);
    half   double precision;
    top    integer;
    bottom integer;
    first  integer;
    last   integer;
    j      integer;
    column_tile bigint;
    is_vast boolean;
    south  double precision;
    north  double precision;
    beside double precision;
    near_latitude double precision;
begin
    top := least(world - 1, greatest(0, floor(darkroom.plane_y(least(90, latitude + reach)) / size)));
    bottom := least(world - 1, greatest(0, floor(darkroom.plane_y(greatest(-90, latitude - reach)) / size)));
    half := case when cosine < 1e-6 then 67108864 else least(67108864, reach / cosine / 360 * 67108864) end;
    first := floor((x - half) / size);
    last := least(floor((x + half) / size), first + world - 1);
    is_vast := (last - first + 1)::bigint * (bottom - top + 1) > 1600;
    for i in first..last loop
        beside := darkroom.plane_longitude(least(greatest(x, i * size), (i + 1) * size));
        column_tile := ((i + world) % world)::bigint << 26;
        j := top;
        while j <= bottom loop
            if is_vast then
                if level = 11 then
                    select f.wide_tile & 67108863 into j from darkroom.feed f
                    where f.wide_tile between column_tile + j and column_tile + bottom order by f.wide_tile limit 1;
                elsif level = 15 then
                    select f.tile & 67108863 into j from darkroom.feed f
                    where f.tile between column_tile + j and column_tile + bottom order by f.tile limit 1;
                else
                    select f.near_tile & 67108863 into j from darkroom.feed f
                    where f.near_tile between column_tile + j and column_tile + bottom order by f.near_tile limit 1;
                end if;
                exit when j is null;
            end if;
            south := case when j = world - 1 then -90 else darkroom.plane_latitude((j + 1) * size) end;
            north := case when j = 0 then 90 else darkroom.plane_latitude(j * size) end;
            -- A meridian off to the side is nearest at this latitude, nearer to the pole.
            near_latitude := degrees(atan2(sind(latitude), cosd(latitude) * cosd(beside - longitude)));
            near_latitude := least(greatest(near_latitude, south), north);
            near_m := greatest(0, darkroom.distance_m(latitude, longitude, near_latitude, beside) - 0.01);
            if near_m <= metres then
                tile := column_tile | j;
                return next;
            end if;
            j := j + 1;
        end loop;
    end loop;
end $$;
comment on function darkroom.tiles_around is
    'The tiles of a zoom level, 11, 15 or 18, that come within some metres of a coordinate, each with the metres to its nearest point. Where they would be more than 1,600, only those with posts.';

create or replace function darkroom.tile_level(latitude double precision, metres double precision) returns integer
language sql immutable as $$
    select case when metres <= 10 * 1223 * cos(radians(abs(latitude))) then 15 else 11 end
$$;

create or replace function darkroom.tiles_in_box(
    south double precision, west double precision, north double precision, east double precision, level integer
) returns setof darkroom.map_tiles
language plpgsql stable rows 500 set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_variable
declare
    size   double precision := 2.0 ^ (26 - level);
    world  integer := 2 ^ level;
    first  integer;
    last   integer;
    top    integer;
    bottom integer;
begin
    perform darkroom.check_coordinate(south, west);
    perform darkroom.check_coordinate(north, east);
    if south > north then
        raise exception using errcode = 'invalid_parameter_value', message = 'south lies north of north',
            hint = 'Give the box as south, west, north, east; one that crosses 180 degrees has west greater than east.';
    end if;
    first := floor(darkroom.plane_x(west) / size);
    last := floor(darkroom.plane_x(case when east < west then east + 360 else east end) / size);
    last := least(last, first + world - 1);
    top := least(world - 1, greatest(0, floor(darkroom.plane_y(north) / size)));
    bottom := least(world - 1, greatest(0, floor(darkroom.plane_y(south) / size)));
    if (last - first + 1)::bigint * (bottom - top + 1) > 20000 then
        raise exception using errcode = 'invalid_parameter_value', message = 'the box is too large for this zoom',
            hint = 'Give what a screen shows: zoom is that of web maps, with tiles of 256 pixels.';
    end if;
    return query
    select m.* from generate_series(first, last) c
    join darkroom.map_tiles m on m.level = tiles_in_box.level and m.x = (c + world) % world and m.y between top and bottom;
end $$;

-- A distance on the sphere is two dozen operations; of most posts, one comparison in the plane tells as much.
create function darkroom.inner_circle(latitude double precision, longitude double precision, metres double precision)
returns circle language sql immutable parallel safe as $$
    select circle(point(darkroom.plane_x(longitude), darkroom.plane_y(latitude)),
                  case when abs(latitude) > 89.9999 then 0
                       else metres * 0.999999999 * 67108864
                            / (2 * pi() * 6371008.8
                               * cos(radians(greatest(0, abs(latitude) - degrees(metres / 6371008.8))))) end)
$$;
comment on function darkroom.inner_circle is
    'A circle of the plane all of which is within some metres of a coordinate. The plane''s scale is 1 / cos(latitude); here it is that of the circle''s edge towards the equator, where a step in the plane is most metres. Without extent at the poles.';

drop function darkroom.newest_in_tile;
drop function darkroom.newest_in_wide_tile;
-- The lists are read no further back than to the newest so many of the tiles that lie within the circle, or of the one in its
-- middle: of a tile that the circle only touches, all might be read in vain.
do $do$
declare
    variant text;
begin
    foreach variant in array array['tile', 'wide_tile'] loop
        execute replace(replace($f$
create function darkroom.newest_in_TILE(
    latitude double precision, longitude double precision, radius_m double precision, wanted integer,
    before timestamptz, from_id bigint, earliest timestamptz, in_category text, in_event text, boxes box[],
    out ids bigint[], out keys double precision[], out metres double precision[]
) language plpgsql stable as $$
#variable_conflict use_variable
declare
    inner_circle constant circle := darkroom.inner_circle(latitude, longitude, radius_m);
    tiles       bigint[];
    inner_tiles bigint[];
    least_time  timestamptz := earliest;
begin
    select array_agg(t.tile order by t.near_m),
           array_agg(t.tile order by t.near_m) filter (
               where t.near_m + 57000000 * cos(radians(abs(latitude))) / 2 ^ LEVEL < radius_m)
    into tiles, inner_tiles
    from darkroom.tiles_around(latitude, longitude, radius_m, LEVEL) t;
    inner_tiles := coalesce(inner_tiles, tiles[1:1]);
    select min(h.published_at) into least_time
    from (select h.published_at
          from unnest(inner_tiles) as t (tile)
          cross join lateral (
              select f.published_at
              from darkroom.feed f
              where f.TILE = t.tile and f.published_at <= before and f.published_at >= earliest
                and (f.position <@ inner_circle
                     or (f.position <@ boxes[1] or f.position <@ boxes[2])
                        and darkroom.point_distance_m(latitude, longitude, f.position) <= radius_m)
                and (f.published_at, f.post_id) < (before, from_id) and f.expires_at > now()
                and (in_category is null or f.category = in_category) and (in_event is null or f.event = in_event)
              order by f.TILE, f.published_at desc, f.post_id desc
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
              where f.TILE = t.tile and f.published_at <= before and f.published_at >= least_time
                and (f.position <@ inner_circle
                     or (f.position <@ boxes[1] or f.position <@ boxes[2])
                        and darkroom.point_distance_m(latitude, longitude, f.position) <= radius_m)
                and (f.published_at, f.post_id) < (before, from_id) and f.expires_at > now()
                and (in_category is null or f.category = in_category) and (in_event is null or f.event = in_event)
              order by f.TILE, f.published_at desc, f.post_id desc limit wanted) f
          order by f.published_at desc, f.post_id desc limit wanted) n;
end $$
$f$, 'TILE', variant), 'LEVEL', case variant when 'tile' then '15' else '11' end);
    end loop;
end $do$;
comment on function darkroom.newest_in_tile is
    'The newest posts of a circle by the lists of the tiles of level 15 that it touches, of those before a cursor and since a time: what posts_within shows. boxes are those around the circle, one or two, since they are compared sooner than a distance. The settings of the planner are those of posts_within.';
comment on function darkroom.newest_in_wide_tile is 'As newest_in_tile, by the tiles of level 11, for wide circles.';

create function darkroom.newest_close_by(
    latitude double precision, longitude double precision, radius_m double precision, wanted integer,
    before timestamptz, from_id bigint, earliest timestamptz, in_category text, in_event text, boxes box[],
    out ids bigint[], out keys double precision[], out metres double precision[]
) language plpgsql stable as $$
#variable_conflict use_variable
declare
    inner_circle constant circle := darkroom.inner_circle(latitude, longitude, radius_m);
    middle constant bigint := darkroom.tile_at(darkroom.plane_x(longitude), darkroom.plane_y(latitude), 18);
    -- The second box is the first once more, beyond 180 degrees.
    square constant box := boxes[1];
    tiles  constant bigint[] := array(
        select ((x + 262144) % 262144)::bigint << 26 | y
        from generate_series(floor((square[1])[0] / 256)::integer, floor((square[0])[0] / 256)::integer) x,
             generate_series(least(262143, greatest(0, floor((square[1])[1] / 256)))::integer,
                             least(262143, greatest(0, floor((square[0])[1] / 256)))::integer) y);
begin
    with newest as materialized (
        select min(h.published_at) as at
        from (select f.published_at
              from darkroom.feed f
              where f.near_tile = middle and f.published_at <= before and f.published_at >= earliest
                and (f.position <@ inner_circle
                     or (f.position <@ boxes[1] or f.position <@ boxes[2])
                        and darkroom.point_distance_m(latitude, longitude, f.position) <= radius_m)
                and (f.published_at, f.post_id) < (before, from_id) and f.expires_at > now()
                and (in_category is null or f.category = in_category) and (in_event is null or f.event = in_event)
              order by f.near_tile, f.published_at desc, f.post_id desc limit wanted) h
        having count(*) = wanted)
    select array_agg(n.post_id), array_agg(extract(epoch from n.published_at) * 1000000),
           array_agg(darkroom.point_distance_m(latitude, longitude, n.position))
    into ids, keys, metres
    from (select f.post_id, f.published_at, f.position
          from unnest(tiles) as t (tile)
          cross join lateral (
              select f.post_id, f.published_at, f.position
              from darkroom.feed f
              where f.near_tile = t.tile and f.published_at <= before
                and f.published_at >= coalesce((select at from newest), earliest)
                and (f.position <@ inner_circle
                     or (f.position <@ boxes[1] or f.position <@ boxes[2])
                        and darkroom.point_distance_m(latitude, longitude, f.position) <= radius_m)
                and (f.published_at, f.post_id) < (before, from_id) and f.expires_at > now()
                and (in_category is null or f.category = in_category) and (in_event is null or f.event = in_event)
              order by f.near_tile, f.published_at desc, f.post_id desc limit wanted) f
          order by f.published_at desc, f.post_id desc limit wanted) n;
end $$;
comment on function darkroom.newest_close_by is
    'As newest_in_tile, for circles so small that they touch few of the tiles of level 18, whose distances need not be known.';

comment on function darkroom.whole_at_most is
    'How many posts in the square around a circle posts_within looks at one by one; with more it reads the lists of tiles. Of small circles a fifth of it, for boards a quarter.';

create or replace function darkroom.posts_within(
    latitude    double precision,
    longitude   double precision,
    radius_m    double precision default 100,
    page        integer default 20,
    in_category text default null,
    in_event    text default null,
    since       timestamptz default null,
    after       text default null
) returns setof darkroom.feed_post
language plpgsql stable rows 20 set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
set enable_mergejoin = off set enable_sort = off set jit = off
set plan_cache_mode = force_generic_plan set extra_float_digits = 1 as $$
#variable_conflict use_variable
declare
    wanted  integer := darkroom.page_size(page);
    before  timestamptz := coalesce(to_timestamp(0) + darkroom.cursor_key('within', after) * interval '1 microsecond', 'infinity');
    from_id bigint := coalesce(darkroom.cursor_post(after), 0);
    earliest constant timestamptz := coalesce(since, '-infinity');
    level   integer;
    whole   integer := darkroom.whole_at_most();
    inner_circle circle;
    boxes   box[];
    is_crowded boolean := false;
    few     bigint[];
    ids     bigint[];
    keys    double precision[];
    metres  double precision[];
    there   integer;
begin
    perform darkroom.check_coordinate(latitude, longitude);
    if not coalesce(radius_m between 1 and 1e6, false) then
        raise exception using errcode = 'invalid_parameter_value', message = 'radius_m is out of its range',
            hint = 'Give 1 to 1,000,000 metres.';
    end if;
    boxes := array(select b from darkroom.boxes_around(latitude, longitude, radius_m) b);
    level := case when radius_m <= 2 * 153 * cos(radians(abs(latitude))) then 18
                  else darkroom.tile_level(latitude, radius_m) end;
    if level = 18 then
        whole := whole / 5;
        -- Where the tile in the middle has so many, the circle has too many to be read whole.
        perform from darkroom.feed f
        where f.near_tile = darkroom.tile_at(darkroom.plane_x(longitude), darkroom.plane_y(latitude), 18)
        offset whole * 2 / 5 limit 1;
        is_crowded := found;
    end if;
    if is_crowded then
        select n.* into ids, keys, metres
        from darkroom.newest_close_by(
            latitude, longitude, radius_m, wanted, before, from_id, earliest, in_category, in_event, boxes) n;
        return query select * from darkroom.show_posts('within', ids, keys, metres);
        return;
    end if;
    inner_circle := darkroom.inner_circle(latitude, longitude, radius_m);
    with near as materialized (
        select f.post_id, f.published_at, f.expires_at, f.position, f.category, f.event
        from unnest(boxes) b
        join darkroom.feed f on f.position <@ b limit whole + 1)
    select array_agg(n.post_id), array_agg(extract(epoch from n.published_at) * 1000000),
           array_agg(darkroom.point_distance_m(latitude, longitude, n.position)), (select count(*) from near)
    into ids, keys, metres, there
    from (select *
          from (select f.post_id, f.published_at, f.position
                from near f
                where (select count(*) from near) <= whole
                  and (f.position <@ inner_circle
                       or darkroom.point_distance_m(latitude, longitude, f.position) <= radius_m)
                  and f.expires_at > now() and (f.published_at, f.post_id) < (before, from_id)
                  and (in_category is null or f.category = in_category)
                  and (in_event is null or f.event = in_event) and f.published_at >= earliest
                offset 0) f
          order by f.published_at desc, f.post_id desc limit wanted) n;
    if there > whole and level < 18 and (in_category is not null or in_event is not null) then
        few := darkroom.few_posts(in_category, in_event, since);
    end if;
    if few is not null then
        select array_agg(n.post_id), array_agg(extract(epoch from n.published_at) * 1000000), array_agg(n.m)
        into ids, keys, metres
        from (select f.post_id, f.published_at, m
              from unnest(few) as w (post_id) join darkroom.feed f using (post_id)
              cross join lateral (select darkroom.point_distance_m(latitude, longitude, f.position) as m) d
              where m <= radius_m and f.expires_at > now() and (f.published_at, f.post_id) < (before, from_id)
                and f.published_at >= earliest
                and (in_category is null or f.category = in_category) and (in_event is null or f.event = in_event)
              order by f.published_at desc, f.post_id desc limit wanted) n;
    elsif there > whole and level = 18 then
        select n.* into ids, keys, metres
        from darkroom.newest_close_by(
            latitude, longitude, radius_m, wanted, before, from_id, earliest, in_category, in_event, boxes) n;
    elsif there > whole and level = 15 then
        select n.* into ids, keys, metres
        from darkroom.newest_in_tile(
            latitude, longitude, radius_m, wanted, before, from_id, earliest, in_category, in_event, boxes) n;
    elsif there > whole then
        select n.* into ids, keys, metres
        from darkroom.newest_in_wide_tile(
            latitude, longitude, radius_m, wanted, before, from_id, earliest, in_category, in_event, boxes) n;
    end if;
    return query select * from darkroom.show_posts('within', ids, keys, metres);
end $$;

-- What a board has in a circle. Where that is little, or of a short time, it is looked at one by one. Else the lists of the
-- tiles that the circle touches are read no further down than to the best so many of the tiles that lie within it, or of
-- the one in its middle. rest is what else is asked for, of the parameters $1 to $7: the place to from_id, in this order.
create function darkroom.top_of_area(
    board darkroom.board, wanted integer, in_place bigint, in_event text, in_category text,
    latitude double precision, longitude double precision, radius_m double precision,
    since timestamptz, until timestamptz, from_key double precision, from_id bigint, rest text,
    out ids bigint[], out keys double precision[], out metres double precision[]
) language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set enable_sort = off set jit = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_variable
declare
    few_at_most   constant integer := darkroom.few_at_most();
    -- Their ranks lie all over the table.
    whole_at_most constant integer := darkroom.whole_at_most() / 4;
    inner_circle  circle;
    few         bigint[];
    tiles       bigint[];
    inner_tiles bigint[];
begin
    perform darkroom.check_coordinate(latitude, longitude);
    if not radius_m between 1 and 1e5 then
        raise exception using errcode = 'invalid_parameter_value', message = 'radius_m is out of its range',
            hint = 'Give 1 to 100,000 metres; a board of more is that of a place or of all.';
    end if;
    -- A circle that is not much smaller than a tile is read by tiles as fast.
    if radius_m <= 500 then
        few := array(select f.post_id
                     from darkroom.boxes_around(latitude, longitude, radius_m) b
                     join darkroom.feed f on f.position <@ b limit whole_at_most + 1);
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
        using in_place, in_event, in_category, since, until, from_key, from_id, latitude, longitude, radius_m, wanted,
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
    using in_place, in_event, in_category, since, until, from_key, from_id, latitude, longitude, radius_m, wanted,
          tiles, inner_tiles, inner_circle;
end $$;
comment on function darkroom.top_of_area is
    'The best of a board within some metres of a coordinate, of a page of top_posts. Errors: 22023 for no coordinate or a radius out of its range.';

create or replace function darkroom.top_posts(
    board       darkroom.board,
    page        integer default 20,
    in_place    bigint default null,
    in_event    text default null,
    in_category text default null,
    latitude    double precision default null,
    longitude   double precision default null,
    radius_m    double precision default null,
    since       timestamptz default null,
    until       timestamptz default null,
    after       text default null
) returns setof darkroom.feed_post
language plpgsql stable rows 20
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set enable_sort = off set jit = off set plan_cache_mode = force_generic_plan set extra_float_digits = 1 as $$
#variable_conflict use_variable
declare
    most_lists constant integer := 1100;
    wanted   integer := darkroom.page_size(page);
    from_key double precision := darkroom.cursor_key(board::text, after);
    from_id  bigint := darkroom.cursor_post(after);
    scope    text := case when in_event is not null then 'event' when in_place is not null then 'place'
                          when in_category is not null then 'category' end;
    equals   text := case when in_event is not null then ' and event = $2' else '' end
                  || case when in_place is not null then ' and place = $1' else '' end
                  || case when in_category is not null then ' and category = $3' else '' end;
    rest     text;
    seconds  integer := case when scope is null then 86400 else 604800 end;
    begins   timestamptz;
    ends     timestamptz;
    first    integer;
    last     integer;
    edges    timestamptz[] := '{}';
    edge_ends timestamptz[] := '{}';
    ids      bigint[];
    keys     double precision[];
    metres   double precision[];
begin
    rest := equals
         || case when since is not null then ' and published_at >= $4' else '' end
         || case when until is not null then ' and published_at < $5' else '' end
         || case when from_key is not null then format(' and (%I, post_id) < ($6, $7)', board) else '' end
         || ' and expires_at > now()';
    if board is null or radius_m is null and (latitude is not null or longitude is not null) then
        raise exception using errcode = 'invalid_parameter_value',
            message = case when board is null then 'a board is missing' else 'radius_m is missing' end,
            hint = 'Give likes, wilson, weighted or hot; and with a coordinate the metres around it.';
    end if;
    if radius_m is not null then
        select a.* into ids, keys, metres
        from darkroom.top_of_area(
            board, wanted, in_place, in_event, in_category, latitude, longitude, radius_m, since, until, from_key,
            from_id, rest) a;
        return query select * from darkroom.show_posts(board::text, ids, keys, metres);
        return;
    end if;

    if not exists (select from darkroom.ranks) then
        return;
    end if;
    begins := greatest(since, (select r.published_at from darkroom.ranks r order by r.published_at limit 1));
    ends := least(until, (select r.published_at from darkroom.ranks r order by r.published_at desc limit 1)
                         + interval '1 microsecond');
    if begins is null or begins >= ends then
        return;
    end if;
    first := floor(extract(epoch from begins) / seconds);
    last := floor(extract(epoch from ends - interval '1 microsecond') / seconds);
    if scope is null and (since is null and until is null or last - first >= most_lists) then
        -- What is hot is young: the best of before a time are not above all of after it.
        if board = 'hot' and until is not null then
            rest := rest || format(
                ' and hot <= %s',
                darkroom.age_magnitude(ends)
                + coalesce((select r.magnitude from darkroom.ranks r order by r.magnitude desc limit 1), 0) + 1e-6);
        end if;
        execute format(
            'select array_agg(post_id), array_agg(key) from (
                 select post_id, %1$I::float8 as key from darkroom.ranks where true %2$s
                 order by %1$I desc, post_id desc limit $8) r', board, rest)
        into ids, keys
        using in_place, in_event, in_category, since, until, from_key, from_id, wanted;
        return query select * from darkroom.show_posts(board::text, ids, keys, null);
        return;
    end if;
    if ends - begins < make_interval(secs => seconds / 16) then
        edges := array[begins];
        edge_ends := array[ends];
        last := first - 1;
    else
        if to_timestamp((first + 1)::float8 * seconds) - begins < make_interval(secs => seconds / 16) then
            edges := edges || begins;
            edge_ends := edge_ends || to_timestamp((first + 1)::float8 * seconds);
            first := first + 1;
        end if;
        if ends - to_timestamp(last::float8 * seconds) < make_interval(secs => seconds / 16) and last > first then
            edges := edges || to_timestamp(last::float8 * seconds);
            edge_ends := edge_ends || ends;
            last := last - 1;
        end if;
    end if;
    execute format(
        'with heads as materialized (
             select list, h.*
             from generate_series($9::integer, $10::integer) list cross join lateral (
                 select %1$I as key, post_id from darkroom.ranks where %3$I = list %2$s
                 order by %4$s %3$I, %1$I desc, post_id desc limit 1) h
             order by h.key desc, h.post_id desc limit $8)
         select array_agg(post_id), array_agg(key) from (
             select post_id, key::float8 from (
                 select r.* from heads cross join lateral (
                     select %1$I as key, post_id from darkroom.ranks
                     where %3$I = heads.list %2$s
                       and %1$I >= (select case when count(*) = $8 then min(key) else -2147483648 end from heads)
                     order by %4$s %3$I, %1$I desc, post_id desc limit $8) r
                 union all
                 select r.* from unnest($11::timestamptz[], $12::timestamptz[]) as e (begins, ends) cross join lateral (%5$s) r) b
             order by key desc, post_id desc limit $8) r',
        board, rest, case when scope is null then 'day' else 'week' end, scope || ',',
        case when scope is null then format(
            'select %I as key, post_id from darkroom.ranks where published_at >= e.begins and published_at < e.ends %s',
            board, rest)
        else format(
            'select r.key, r.post_id
             from (select f.post_id from darkroom.feed f
                   where f.%1$I = %4$s and f.published_at >= e.begins and f.published_at < e.ends offset 0) f
             join lateral (select %2$I as key, post_id from darkroom.ranks o where o.post_id = f.post_id %3$s) r on true',
            scope, board, rest, case scope when 'event' then '$2' when 'place' then '$1' else '$3' end)
        end)
    into ids, keys
    using in_place, in_event, in_category, since, until, from_key, from_id, wanted, first, last, edges, edge_ends;
    return query select * from darkroom.show_posts(board::text, ids, keys, null);
end $$;
comment on function darkroom.top_posts is
    'A rank board: the posts with votes by likes, by wilson (lower bound of the share of likes), by weighted (rating with the average added) or by hot (lead in likes and age), of all or of a place, event, category, time (since, and before until) or the area of radius_m, 1 to 100,000 metres, around a coordinate. page is 1 to 100 (others are taken as the nearest). after is the cursor of the last row of the page before, for the same arguments. Errors: 22023 for no board, no coordinate, a coordinate without a radius, a radius out of its range or a cursor of another feed.';

-- Cursors name their feed: that of another one was taken for a place in this, where there was none.
drop function darkroom.show_posts;
create function darkroom.show_posts(
    feed text, ids bigint[], keys double precision[], distances double precision[]
) returns setof darkroom.feed_post language sql stable rows 20 as $$
    select p.post_id, p.published_at, p.uploader,
           (select w.display_name from darkroom.people w where w.person = p.uploader), p.headline, p.caption, p.link,
           p.category, p.event, p.taken_at, p.taken_at_local, p.time_zone, p.latitude, p.longitude, p.country_code,
           p.country_name, p.admin1_code, p.admin1_name, p.place_geonameid, p.place_name, p.width, p.height,
           p.placeholder, p.pictures, coalesce(c.likes, 0), coalesce(c.dislikes, 0), coalesce(c.comments, 0),
           coalesce(c.views, 0), i.distance_m, i.key, feed || ':' || i.key::text || '~' || p.post_id
    from unnest(ids, keys, distances) with ordinality as i (post_id, key, distance_m, number)
    join darkroom.posts p using (post_id)
    left join darkroom.post_counters c using (post_id)
    where p.state = 'published' and (p.expires_at is null or p.expires_at > now())
    order by i.number
$$;
comment on function darkroom.show_posts is
    'The rows of a feed for posts'' numbers, in their order, with the keys and distances in metres that the feed has, and cursors that bear its name; without those that cannot be seen. It has no settings, so that it becomes part of the statement that calls it.';

drop function darkroom.cursor_key;
create function darkroom.cursor_key(feed text, after text) returns double precision language plpgsql stable as $$
declare
    key double precision;
begin
    if after is null then return null; end if;
    if starts_with(after, feed || ':') and substr(after, length(feed) + 2)
       ~ '^-?[0-9]{1,20}([.][0-9]{1,20})?(e([+]?[0-9]{1,2}|-[0-9]{1,2}))?~[0-9]{1,18}$'
    then
        key := substr(split_part(after, '~', 1), length(feed) + 2)::float8;
    end if;
    -- No score comes near it, and a time in microseconds does after the year 8000.
    if key is null or abs(key) > 2e17 then perform darkroom.bad_cursor(after); end if;
    return key;
end $$;
comment on function darkroom.cursor_key is
    'The key of a feed''s order that a cursor holds; null for none. Errors: 22023 for a text that is no cursor of this feed.';

-- What else changes in a function is a few words: they are put into its text as it is.
create function pg_temp.put(function regprocedure, old text, new text, times integer default 1) returns void
language plpgsql as $$
declare
    body text := pg_get_functiondef(function);
begin
    if (length(body) - length(replace(body, old, ''))) / length(old) <> times then
        raise exception '% is not % times in %', old, times, function;
    end if;
    execute replace(body, old, new);
end $$;
do $$
declare
    one record;
begin
    for one in
        select p.oid::regprocedure as function, f.name, f.shows
        from (values ('nearest_posts', 'nearest', 2), ('near_and_good_posts', 'good', 1), ('latest_posts', 'latest', 1),
                     ('cluster_posts', 'cluster', 1)) f (function, name, shows)
        join pg_proc p on p.proname = f.function
        where p.pronamespace = (select s.pronamespace from pg_proc s where s.oid = 'darkroom.show_posts'::regproc)
    loop
        perform pg_temp.put(one.function, '.show_posts(', format('.show_posts(%L, ', one.name), one.shows);
        perform pg_temp.put(one.function, '.cursor_key(after)', format('.cursor_key(%L, after)', one.name));
    end loop;
    perform pg_temp.put('darkroom.map_photos'::regproc::oid, '.show_posts(', '.show_posts(''photos'', ');
    perform pg_temp.put('darkroom.map_photos'::regproc::oid, '(zoom - 1)', '(greatest(zoom, 0) - 1)');
    perform pg_temp.put('darkroom.post_details'::regproc::oid, '.show_posts(', '.show_posts(''post'', ');
    perform pg_temp.put('darkroom.nearest_posts'::regproc::oid,
        'far := least(coalesce(far, 20100000), max_metres, 20100000)',
        'far := greatest(-1, least(coalesce(far, 20100000), max_metres, 20100000))');
    -- Long half-lives with large weights lead further back than times go.
    perform pg_temp.put('darkroom.best_in_tile'::regproc::oid,
        'to_timestamp(((least_score + t.loss) / age_weight - 1e-6) * 86400)',
        'to_timestamp(greatest(-2e11, least(9e12, ((least_score + t.loss) / age_weight - 1e-6) * 86400)))');
    perform pg_temp.put('darkroom.best_in_wide_tile'::regproc::oid,
        'to_timestamp(((least_score + t.loss) / age_weight - 1e-6) * 86400)',
        'to_timestamp(greatest(-2e11, least(9e12, ((least_score + t.loss) / age_weight - 1e-6) * 86400)))');
    -- A tally that counts the votes of a post that is just being restored does not see its row of the feed, and it not
    -- what is counted: so each waits for the other. Such a post had no rank until the next vote.
    perform pg_temp.put('darkroom.keep_feed'::regproc::oid,
        'if tg_op <> ''DELETE'' and new.state = ''published'' then',
        'if tg_op <> ''DELETE'' and new.state = ''published'' then
        if tg_op = ''UPDATE'' and old.state <> ''published'' then
            insert into darkroom.post_counters as c (post_id) values (new.post_id)
            on conflict (post_id) do update set views = c.views;
        end if;');
    -- Nothing counts or ranks while all is made anew.
    perform pg_temp.put('darkroom.rebuild_feeds'::regproc::oid,
        'lock table darkroom.posts in share row exclusive mode;',
        'perform pg_advisory_xact_lock(hashtextextended(''darkroom.tally_counters'', 0));
    perform pg_advisory_xact_lock(hashtextextended(''darkroom.tally_map'', 0));
    lock table darkroom.posts, darkroom.ranks in share row exclusive mode;');
    -- What has expired does not count until the job that takes it away has come, either.
    perform pg_temp.put('darkroom.reckon_leaves'::regproc::oid, 'where f.position <@', 'where f.expires_at > now() and f.position <@');
    perform pg_temp.put('darkroom.rebuild_feeds'::regproc::oid, 'group by l.leaf', 'where f.expires_at > now() group by l.leaf');
    -- Of two who write renditions of a post at once, the second did not see those of the first.
    perform pg_temp.put('darkroom.keep_pictures'::regproc::oid,
        'update darkroom.posts p set pictures',
        'perform from darkroom.posts p where p.post_id in (select c.post_id from changed c) order by p.post_id
    for no key update;
    update darkroom.posts p set pictures');
end $$;

-- Functions that were replaced run as their callers until this gives them the owner's rights again.
select darkroom.grant_roles();
