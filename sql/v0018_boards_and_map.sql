-- Rank boards, and what a map shows.

create type darkroom.board as enum ('likes', 'wilson', 'weighted', 'hot');

-- Two ways to the best of a time: along the board's order, leaving what is not of the time; or all of the time, sorted.
-- The second where there is little of it, since the best of all times may be much older.
create function darkroom.top_posts(
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
language plpgsql stable rows 20 set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set jit = off as $$
#variable_conflict use_variable
declare
    sorted_at_most constant integer := 2000;
    wanted   integer := darkroom.page_size(page);
    from_key double precision := darkroom.cursor_key(after);
    from_id  bigint := darkroom.cursor_post(after);
    equals   text[] := array[]::text[];
    rest     text := '';
    scope    text;
    ids      bigint[];
    keys     double precision[];
    metres   double precision[];
    few      boolean;
begin
    if in_place is not null then equals := equals || 'place = $1'::text; end if;
    if in_event is not null then equals := equals || 'event = $2'::text; end if;
    if in_category is not null then equals := equals || 'category = $3'::text; end if;
    -- The first is what the index begins with.
    scope := coalesce(split_part(equals[1], ' ', 1), '');
    rest := (select coalesce(string_agg(' and ' || e, ''), '') from unnest(equals) e)
         || case when since is not null then ' and published_at >= $4' else '' end
         || case when until is not null then ' and published_at < $5' else '' end
         || case when from_key is not null then format(' and (%I, post_id) < ($6, $7)', board) else '' end
         || ' and expires_at > now()';
    if radius_m is not null then
        perform darkroom.check_coordinate(latitude, longitude);
        execute format(
            'select array_agg(post_id), array_agg(key), array_agg(m) from (
                 select r.* from darkroom.tiles_around($8, $9, $10, 15) t cross join lateral (
                     select post_id, %1$I::float8 as key, m from darkroom.ranks
                     cross join lateral (select darkroom.point_distance_m($8, $9, position) as m) d
                     where tile = t.tile and m <= $10 %2$s
                     order by tile, %1$I desc, post_id desc limit $11) r
                 order by key desc, post_id desc limit $11) r',
            board, rest)
        into ids, keys, metres
        using in_place, in_event, in_category, since, until, from_key, from_id, latitude, longitude, radius_m, wanted;
    else
        if since is not null then
            execute format(
                'select count(*) < $8 from (
                     select from darkroom.feed where published_at >= $4 and ($5 is null or published_at < $5) %s
                     limit $8) f',
                (select coalesce(string_agg(' and ' || e, ''), '') from unnest(equals) e))
            into few using in_place, in_event, in_category, since, until, from_key, from_id, sorted_at_most;
        end if;
        if few then
            execute format(
                'select array_agg(post_id), array_agg(key) from (
                     select post_id, %1$I::float8 as key
                     from %2$s
                     order by %1$I desc, post_id desc limit $8) r', board,
                case when scope = '' then
                    format('(select * from darkroom.ranks where published_at >= $4 %s offset 0) r', rest)
                else
                    format('(select f.post_id from darkroom.feed f where published_at >= $4 %s offset 0) f
                            join darkroom.ranks r using (post_id) where true %s',
                           (select coalesce(string_agg(' and ' || e, ''), '') from unnest(equals) e), rest)
                end)
            into ids, keys
            using in_place, in_event, in_category, since, until, from_key, from_id, wanted;
        else
            execute format(
                'select array_agg(post_id), array_agg(key) from (
                     select post_id, %1$I::float8 as key from darkroom.ranks where true %2$s
                     order by %3$s %1$I desc, post_id desc limit $8) r',
                board, rest, case when scope = '' then '' else format('%I,', scope) end)
            into ids, keys
            using in_place, in_event, in_category, since, until, from_key, from_id, wanted;
        end if;
    end if;
    return query select * from darkroom.show_posts(ids, keys, metres);
end $$;
comment on function darkroom.top_posts is
    'A rank board: the posts with votes by likes, by wilson (lower bound of the share of likes), by weighted (rating with the average added) or by hot (lead in likes and age), of all or of a place, event, category, time (since, and before until) or the area of radius_m metres around a coordinate. page is 1 to 100 (others are taken as the nearest). after is the cursor of the last row of the page before, for the same arguments. Errors: 22023 for no coordinate or a cursor of another feed.';

create function darkroom.map_zoom(zoom integer) returns integer language sql immutable as $$
    select least(20, greatest(2, coalesce(zoom, 2) + 2))
$$;

-- A cluster is a tile of the map with posts in it: its number is stable, whatever is published or removed.
create function darkroom.cluster_number(level integer, x integer, y integer) returns bigint
language sql immutable parallel safe as $$ select level::bigint << 52 | (x::bigint << 26) | y $$;

create type darkroom.cluster as (
    cluster   bigint,
    posts     integer,
    latitude  double precision,
    longitude double precision,
    best      bigint);

create function darkroom.tiles_in_box(
    south double precision, west double precision, north double precision, east double precision, level integer
) returns setof darkroom.map_tiles
language plpgsql stable rows 500 set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_variable
declare
    size   double precision := 2.0 ^ (26 - level);
    world  integer := 2 ^ level;
    first  integer := floor(darkroom.plane_x(west) / size);
    last   integer := floor(darkroom.plane_x(case when east < west then east + 360 else east end) / size);
    top    integer := greatest(0, floor(darkroom.plane_y(north) / size));
    bottom integer := least(world - 1, floor(darkroom.plane_y(south) / size));
begin
    perform darkroom.check_coordinate(south, west);
    perform darkroom.check_coordinate(north, east);
    if south > north then
        raise exception using errcode = 'invalid_parameter_value', message = 'south lies north of north',
            hint = 'Give the box as south, west, north, east; one that crosses 180 degrees has west greater than east.';
    end if;
    last := least(last, first + world - 1);
    if (last - first + 1)::bigint * (bottom - top + 1) > 20000 then
        raise exception using errcode = 'invalid_parameter_value', message = 'the box is too large for this zoom',
            hint = 'Give what a screen shows: zoom is that of web maps, with tiles of 256 pixels.';
    end if;
    return query
    select m.* from generate_series(first, last) c
    join darkroom.map_tiles m on m.level = tiles_in_box.level and m.x = (c + world) % world and m.y between top and bottom;
end $$;

create function darkroom.map_clusters(
    south double precision, west double precision, north double precision, east double precision, zoom integer
) returns setof darkroom.cluster
language sql stable rows 500 set jit = off as $$
    select darkroom.cluster_number(m.level, m.x, m.y), m.posts, darkroom.plane_latitude(m.sum_y / m.posts),
           darkroom.plane_longitude(m.sum_x / m.posts), m.best
    from darkroom.tiles_in_box(south, west, north, east, darkroom.map_zoom(zoom)) m
    order by m.posts desc, m.x, m.y
$$;
comment on function darkroom.map_clusters is
    'What a map shows of a box in degrees at a zoom of 0 to 18 (more is as 18): the posts of every square of 64 pixels as one cluster, with how many they are, their mean position and the number of the best of them by hot. A box that crosses 180 degrees has west greater than east. Errors: 22023 for no box, or one of more than 20,000 squares at this zoom.';

create function darkroom.map_photos(
    south double precision, west double precision, north double precision, east double precision, zoom integer,
    page integer default 30
) returns setof darkroom.feed_post
language plpgsql stable rows 30 set jit = off as $$
#variable_conflict use_variable
declare
    wanted integer := darkroom.page_size(page);
    ids    bigint[];
    keys   double precision[];
begin
    select array_agg(b.best), array_agg(b.best_hot) into ids, keys
    from (select m.best, m.best_hot
          from darkroom.tiles_in_box(south, west, north, east, darkroom.map_zoom(zoom - 1)) m
          order by m.best_hot desc, m.best desc limit wanted) b;
    return query select * from darkroom.show_posts(ids, keys, null);
end $$;
comment on function darkroom.map_photos is
    'Which photos to show on a map of a box in degrees at a zoom of 0 to 18: the best by hot, of each square of 128 pixels at most one. page is 1 to 100 (others are taken as the nearest). Errors: 22023 for no box, or one too large for this zoom.';

create function darkroom.cluster_posts(cluster bigint, page integer default 20, after text default null)
returns setof darkroom.feed_post
language plpgsql stable rows 20 set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    level   integer := cluster >> 52;
    size    double precision := 2.0 ^ (26 - (cluster >> 52));
    x       integer := (cluster >> 26) & 67108863;
    y       integer := cluster & 67108863;
    wanted  integer := darkroom.page_size(page);
    before  timestamptz := coalesce(to_timestamp(0) + darkroom.cursor_key(after) * interval '1 microsecond', 'infinity');
    from_id bigint := coalesce(darkroom.cursor_post(after), 0);
    ids     bigint[];
    keys    double precision[];
begin
    if level is null or level not between 2 and 20 then
        raise exception using errcode = 'invalid_parameter_value', message = format('%s is no cluster', cluster),
            hint = 'Clusters are numbered by darkroom.map_clusters.';
    end if;
    if level >= 15 then
        select array_agg(n.post_id), array_agg(extract(epoch from n.published_at) * 1000000) into ids, keys
        from (select f.post_id, f.published_at from darkroom.feed f
              where f.tile = (x >> (level - 15))::bigint << 26 | (y >> (level - 15))
                and (f.leaf >> 26) >> (20 - level) = x and (f.leaf & 67108863) >> (20 - level) = y
                and (f.published_at, f.post_id) < (before, from_id) and f.expires_at > now()
              order by f.tile, f.published_at desc, f.post_id desc limit wanted) n;
    else
        select array_agg(n.post_id), array_agg(extract(epoch from n.published_at) * 1000000) into ids, keys
        from (select f.post_id, f.published_at from darkroom.feed f
              where (f.leaf >> 26) >> (20 - level) = x and (f.leaf & 67108863) >> (20 - level) = y
                and (f.published_at, f.post_id) < (before, from_id) and f.expires_at > now()
              order by f.published_at desc, f.post_id desc limit wanted) n;
    end if;
    return query select * from darkroom.show_posts(ids, keys, null);
end $$;
comment on function darkroom.cluster_posts is
    'The posts of a cluster of the map, newest first: a billboard. To post to one, enqueue an upload at the coordinate that cluster_location answers. page is 1 to 100 (others are taken as the nearest). after is the cursor of the last row of the page before, for the same arguments. Errors: 22023 for a number that is no cluster''s or a cursor of another feed.';

create function darkroom.cluster_location(cluster bigint, out latitude double precision, out longitude double precision)
language sql stable set enable_seqscan = off as $$
    select darkroom.plane_latitude(m.sum_y / m.posts), darkroom.plane_longitude(m.sum_x / m.posts)
    from darkroom.map_tiles m
    where m.level = cluster >> 52 and m.x = (cluster >> 26) & 67108863 and m.y = cluster & 67108863
$$;
comment on function darkroom.cluster_location is
    'Where the posts of a cluster lie in the mean, in degrees; nulls where it has none any more.';
