-- Feeds of small circles and boards of areas that take no longer where posts lie ten times as dense.

alter table darkroom.feed add column near_tile bigint not null
    generated always as (darkroom.tile_at(position[0], position[1], 18)) stored;
comment on table darkroom.feed is
    'One row for every post that readers see. near_tile is that of zoom level 18 (153 m at the equator), tile of 15 (1.2 km), wide_tile of 11.';
create index feed_near_tile on darkroom.feed (near_tile, published_at desc, post_id desc)
    include (position, expires_at, category, event);

-- A circle that lies beyond the square of the map altogether touches its tiles at the edge; it used to touch none.
create or replace function darkroom.tiles_around(
    latitude double precision, longitude double precision, metres double precision, level integer,
    out tile bigint, out near_m double precision
) returns setof record
language plpgsql immutable rows 60 as $$
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
    if (last - first + 1)::bigint * (bottom - top + 1) > 1600 then
        raise exception using errcode = 'invalid_parameter_value',
            message = format('a radius of %s m is too large here', metres),
            hint = 'Use a smaller radius, or a rank board of the place.';
    end if;
    for j in top..bottom loop
        south := case when j = world - 1 then -90 else darkroom.plane_latitude((j + 1) * size) end;
        north := case when j = 0 then 90 else darkroom.plane_latitude(j * size) end;
        for i in first..last loop
            beside := darkroom.plane_longitude(least(greatest(x, i * size), (i + 1) * size));
            -- A meridian off to the side is nearest at this latitude, nearer to the pole.
            near_latitude := degrees(atan2(sind(latitude), cosd(latitude) * cosd(beside - longitude)));
            near_latitude := least(greatest(near_latitude, south), north);
            near_m := greatest(0, darkroom.distance_m(latitude, longitude, near_latitude, beside) - 0.01);
            if near_m <= metres then
                tile := (((i + world) % world)::bigint << 26) | j;
                return next;
            end if;
        end loop;
    end loop;
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
    foreach variant in array array['near_tile', 'tile', 'wide_tile'] loop
        execute replace(replace($f$
create function darkroom.newest_in_TILE(
    latitude double precision, longitude double precision, radius_m double precision, wanted integer,
    before timestamptz, from_id bigint, earliest timestamptz, in_category text, in_event text, boxes box[],
    out ids bigint[], out keys double precision[], out metres double precision[]
) language plpgsql stable
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off
set enable_sort = off set jit = off set plan_cache_mode = force_generic_plan as $$
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
$f$, 'TILE', variant), 'LEVEL', case variant when 'near_tile' then '18' when 'tile' then '15' else '11' end);
    end loop;
end $do$;
comment on function darkroom.newest_in_tile is
    'The newest posts of a circle by the lists of the tiles of level 15 that it touches, of those before a cursor and since a time: what posts_within shows. boxes are those around the circle, one or two, since they are compared sooner than a distance.';
comment on function darkroom.newest_in_near_tile is 'As newest_in_tile, by the tiles of level 18, for small circles.';
comment on function darkroom.newest_in_wide_tile is 'As newest_in_tile, by the tiles of level 11, for wide circles.';

-- A circle with few posts is read whole. One with many is likely to be a fair part of its tiles, whose lists then soon
-- have the newest of it.
comment on function darkroom.whole_at_most is
    'How many posts in the square around a circle posts_within looks at one by one; with more it reads the lists of tiles. Of small circles, and for boards, a quarter of it.';

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
    before  timestamptz := coalesce(to_timestamp(0) + darkroom.cursor_key(after) * interval '1 microsecond', 'infinity');
    from_id bigint := coalesce(darkroom.cursor_post(after), 0);
    earliest constant timestamptz := coalesce(since, '-infinity');
    level   integer;
    whole   integer := darkroom.whole_at_most();
    inner_circle circle;
    boxes   box[];
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
    inner_circle := darkroom.inner_circle(latitude, longitude, radius_m);
    level := case when radius_m <= 2 * 153 * cos(radians(least(89.9, abs(latitude)))) then 18
                  else darkroom.tile_level(latitude, radius_m) end;
    if level = 18 then
        whole := whole / 4;
    end if;
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
    if there > whole and (in_category is not null or in_event is not null) then
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
        from darkroom.newest_in_near_tile(
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
    return query select * from darkroom.show_posts(ids, keys, metres);
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
    if not radius_m between 1 and 1e6 then
        raise exception using errcode = 'invalid_parameter_value', message = 'radius_m is out of its range',
            hint = 'Give 1 to 1,000,000 metres.';
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
    from_key double precision := darkroom.cursor_key(after);
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
    if radius_m is not null then
        select a.* into ids, keys, metres
        from darkroom.top_of_area(
            board, wanted, in_place, in_event, in_category, latitude, longitude, radius_m, since, until, from_key,
            from_id, rest) a;
        return query select * from darkroom.show_posts(ids, keys, metres);
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
        return query select * from darkroom.show_posts(ids, keys, null);
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
    return query select * from darkroom.show_posts(ids, keys, null);
end $$;

-- Functions that were replaced run as their callers until this gives them the owner's rights again.
select darkroom.grant_roles();
