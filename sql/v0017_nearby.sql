-- Feeds of what lies around a coordinate.

-- Tiles that a circle touches, with the distance to the nearest point of each. x runs on beyond the edge at 180 degrees.
create function darkroom.tiles_around(
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
    top := greatest(0, floor(darkroom.plane_y(least(90, latitude + reach)) / size));
    bottom := least(world - 1, floor(darkroom.plane_y(greatest(-90, latitude - reach)) / size));
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

-- Level 15 where a circle touches not too many of its tiles, else 11.
create function darkroom.tile_level(latitude double precision, metres double precision) returns integer
language sql immutable as $$
    select case when metres <= 10 * 1223 * cos(radians(least(89.9, abs(latitude)))) then 15 else 11 end
$$;

-- The best of what lies around a coordinate, by
--     vote_weight * vote_magnitude + age_weight * age_magnitude - distance_weight * log2(1 + distance / scale).
-- A tile's lists (by hot of what has votes, by age of what has none) are read as far as what they could still hold may
-- be among the best: first a few of each tile, which gives the score that the last of the page has at least; then of
-- each tile what may reach that, given the distance of its nearest point. So nothing is missed, and in a dense town few
-- posts are read.
do $do$
declare
    variant text;
begin
    foreach variant in array array['tile', 'wide_tile'] loop
        execute replace($f$
create function darkroom.best_in_TILE(
    latitude double precision, longitude double precision, metres double precision, wanted integer,
    vote_weight double precision, age_weight double precision, distance_weight double precision,
    scale_m double precision, in_category text, in_event text, since timestamptz,
    from_score double precision, from_id bigint,
    out ids bigint[], out scores double precision[], out distances double precision[]
) language plpgsql stable
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off
set jit = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_variable
declare
    tiles   bigint[];
    losses  double precision[];
    surplus double precision;
    least_score double precision;
    few     integer;
    looked_at   bigint[];
    inner_tiles bigint[];
begin
    select array_agg(t.tile order by t.near_m), array_agg(distance_weight * ln(1 + t.near_m / scale_m) / ln(2) order by t.near_m),
           array_agg(t.tile order by t.near_m) filter (
               where t.near_m + 57000000 * cos(radians(abs(latitude))) / 2 ^ case 'TILE' when 'tile' then 15 else 11 end < metres)
    into tiles, losses, inner_tiles
    from darkroom.tiles_around(latitude, longitude, metres, case 'TILE' when 'tile' then 15 else 11 end) t;
    -- What a post can have beyond age_weight * hot, where votes weigh otherwise than in hot.
    select case when vote_weight > age_weight
                then (vote_weight - age_weight)
                     * coalesce((select r.magnitude from darkroom.ranks r order by r.magnitude desc limit 1), 0)
                else (vote_weight - age_weight)
                     * coalesce((select r.magnitude from darkroom.ranks r order by r.magnitude limit 1), 0) end
    into surplus;
    for attempt in 1..3 loop
        -- What has votes is the likelier to be good: first that of the nearest tiles, of tiles that lie within the circle
        -- altogether, so that no list is searched in vain; then that of all such; then everything.
        looked_at := case attempt when 1 then inner_tiles[1:16] when 2 then inner_tiles else tiles end;
        few := case when attempt < 3 then least(8, wanted) else wanted end;
        select min(b.score) into least_score
        from (select a.score
              from (select l.score
                    from unnest(looked_at) as t (tile) cross join lateral (
                        select s.score
                        from darkroom.ranks r
                        cross join lateral (select darkroom.point_distance_m(latitude, longitude, r.position) as m) d
                        cross join lateral (
                            select age_weight * r.hot + (vote_weight - age_weight) * r.magnitude
                                   - distance_weight * ln(1 + m / scale_m) / ln(2) as score) s
                        where r.TILE = t.tile and m <= metres and r.expires_at > now()
                          and (in_category is null or r.category = in_category)
                          and (in_event is null or r.event = in_event)
                          and (since is null or r.published_at >= since)
                          and (from_score is null or (s.score, r.post_id) < (from_score, from_id))
                        order by r.TILE, r.hot desc limit few) l
                    union all
                    select l.score
                    from unnest(case attempt when 3 then tiles end) as t (tile) cross join lateral (
                        select s.score
                        from darkroom.feed f
                        cross join lateral (select darkroom.point_distance_m(latitude, longitude, f.position) as m) d
                        cross join lateral (
                            select age_weight * darkroom.age_magnitude(f.published_at)
                                   - distance_weight * ln(1 + m / scale_m) / ln(2) as score) s
                        where f.TILE = t.tile and m <= metres and f.expires_at > now()
                          and (in_category is null or f.category = in_category)
                          and (in_event is null or f.event = in_event)
                          and (since is null or f.published_at >= since)
                          and (from_score is null or (s.score, f.post_id) < (from_score, from_id))
                          and not exists (select from darkroom.ranks r where r.post_id = f.post_id)
                        order by f.TILE, f.published_at desc limit few) l) a
              order by a.score desc limit wanted) b
        having count(*) = wanted;
        exit when least_score is not null;
    end loop;
    least_score := coalesce(least_score, '-infinity');
    select array_agg(b.post_id order by b.score desc, b.post_id desc),
           array_agg(b.score order by b.score desc, b.post_id desc),
           array_agg(b.m order by b.score desc, b.post_id desc)
    into ids, scores, distances
    from (select a.post_id, a.score, a.m
          from (select l.post_id, l.score, l.m
                from unnest(tiles, losses) as t (tile, loss) cross join lateral (
                    select r.post_id, s.score, m
                    from darkroom.ranks r
                    cross join lateral (select darkroom.point_distance_m(latitude, longitude, r.position) as m) d
                    cross join lateral (
                        select age_weight * r.hot + (vote_weight - age_weight) * r.magnitude
                               - distance_weight * ln(1 + m / scale_m) / ln(2) as score) s
                    where r.TILE = t.tile and r.hot >= (least_score + t.loss - surplus) / age_weight - 1e-6
                      and m <= metres and r.expires_at > now() and s.score >= least_score
                      and (in_category is null or r.category = in_category)
                      and (in_event is null or r.event = in_event)
                      and (since is null or r.published_at >= since)
                      and (from_score is null or (s.score, r.post_id) < (from_score, from_id))) l
                union all
                select l.post_id, l.score, l.m
                from unnest(tiles, losses) as t (tile, loss) cross join lateral (
                    select f.post_id, s.score, m
                    from darkroom.feed f
                    cross join lateral (select darkroom.point_distance_m(latitude, longitude, f.position) as m) d
                    cross join lateral (
                        select age_weight * darkroom.age_magnitude(f.published_at)
                               - distance_weight * ln(1 + m / scale_m) / ln(2) as score) s
                    where f.TILE = t.tile
                      and f.published_at >= case when least_score = '-infinity' then '-infinity'::timestamptz
                              else to_timestamp(((least_score + t.loss) / age_weight - 1e-6) * 86400) end
                      and m <= metres and f.expires_at > now() and s.score >= least_score
                      and (in_category is null or f.category = in_category)
                      and (in_event is null or f.event = in_event)
                      and (since is null or f.published_at >= since)
                      and (from_score is null or (s.score, f.post_id) < (from_score, from_id))
                      and not exists (select from darkroom.ranks r where r.post_id = f.post_id)) l) a
          order by a.score desc, a.post_id desc limit wanted) b;
end $$
$f$, 'TILE', variant);
    end loop;
end $do$;

create function darkroom.near_and_good_posts(
    latitude         double precision,
    longitude        double precision,
    radius_m         double precision default 5000,
    page             integer default 20,
    half_life        interval default '1 day',
    vote_weight      double precision default 1,
    distance_weight  double precision default 1,
    distance_scale_m double precision default 500,
    in_category      text default null,
    in_event         text default null,
    since            timestamptz default null,
    after            text default null
) returns setof darkroom.feed_post
language plpgsql stable rows 20 set jit = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_variable
declare
    seconds double precision := extract(epoch from half_life);
    found   record;
begin
    perform darkroom.check_coordinate(latitude, longitude);
    if not coalesce(seconds between 60 and 3155760000, false) or not coalesce(vote_weight between 0 and 100, false)
       or not coalesce(distance_weight between 0 and 100, false)
       or not coalesce(distance_scale_m between 1 and 1e6, false) or not coalesce(radius_m between 1 and 1e6, false)
    then
        raise exception using errcode = 'invalid_parameter_value', message = 'a parameter is out of its range',
            hint = 'half_life: a minute to a century; weights: 0 to 100; distance_scale_m and radius_m: 1 to 1,000,000.';
    end if;
    if darkroom.tile_level(latitude, radius_m) = 15 then
        select * into found from darkroom.best_in_tile(
            latitude, longitude, radius_m, darkroom.page_size(page), vote_weight, 86400 / seconds, distance_weight,
            distance_scale_m, in_category, in_event, since, darkroom.cursor_key(after), darkroom.cursor_post(after));
    else
        select * into found from darkroom.best_in_wide_tile(
            latitude, longitude, radius_m, darkroom.page_size(page), vote_weight, 86400 / seconds, distance_weight,
            distance_scale_m, in_category, in_event, since, darkroom.cursor_key(after), darkroom.cursor_post(after));
    end if;
    return query select * from darkroom.show_posts(found.ids, found.scores, found.distances);
end $$;
comment on function darkroom.near_and_good_posts is
    'The best posts within a radius: each doubling of the lead in likes is worth vote_weight half-lives of age, and each doubling of the distance beyond distance_scale_m costs distance_weight. radius_m and distance_scale_m are 1 to 1,000,000 metres, half_life a minute to a century, the weights 0 to 100. page is 1 to 100 (others are taken as the nearest). after is the cursor of the last row of the page before, for the same arguments. Errors: 22023 for an argument out of its range or a cursor of another feed.';

create function darkroom.posts_within(
    latitude    double precision,
    longitude   double precision,
    radius_m    double precision default 100,
    page        integer default 20,
    in_category text default null,
    in_event    text default null,
    since       timestamptz default null,
    after       text default null
) returns setof darkroom.feed_post
language plpgsql stable rows 20 set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set jit = off
set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_variable
declare
    wanted  integer := darkroom.page_size(page);
    before  timestamptz := coalesce(to_timestamp(0) + darkroom.cursor_key(after) * interval '1 microsecond', 'infinity');
    from_id bigint := coalesce(darkroom.cursor_post(after), 0);
    ids     bigint[];
    keys    double precision[];
    metres  double precision[];
begin
    perform darkroom.check_coordinate(latitude, longitude);
    if not coalesce(radius_m between 1 and 1e6, false) then
        raise exception using errcode = 'invalid_parameter_value', message = 'radius_m is out of its range',
            hint = 'Give 1 to 1,000,000 metres.';
    end if;
    if radius_m <= 500 then
        select array_agg(n.post_id), array_agg(extract(epoch from n.published_at) * 1000000), array_agg(n.m)
        into ids, keys, metres
        from (select *
              from (select f.post_id, f.published_at, m
                    from darkroom.boxes_around(latitude, longitude, radius_m) b
                    join darkroom.feed f on f.position <@ b
                    cross join lateral (select darkroom.point_distance_m(latitude, longitude, f.position) as m) d
                    where m <= radius_m and f.expires_at > now() and (f.published_at, f.post_id) < (before, from_id)
                      and (in_category is null or f.category = in_category)
                      and (in_event is null or f.event = in_event) and (since is null or f.published_at >= since)
                    offset 0) f
              order by f.published_at desc, f.post_id desc limit wanted) n;
    elsif darkroom.tile_level(latitude, radius_m) = 15 then
        select array_agg(n.post_id), array_agg(extract(epoch from n.published_at) * 1000000), array_agg(n.m)
        into ids, keys, metres
        from (select f.post_id, f.published_at, f.m
              from darkroom.tiles_around(latitude, longitude, radius_m, 15) t
              cross join lateral (
                  select f.post_id, f.published_at, m
                  from darkroom.feed f
                  cross join lateral (select darkroom.point_distance_m(latitude, longitude, f.position) as m) d
                  where f.tile = t.tile and f.published_at <= before and (f.published_at, f.post_id) < (before, from_id)
                    and m <= radius_m and f.expires_at > now()
                    and (in_category is null or f.category = in_category) and (in_event is null or f.event = in_event)
                    and (since is null or f.published_at >= since)
                  order by f.tile, f.published_at desc, f.post_id desc limit wanted) f
              order by f.published_at desc, f.post_id desc limit wanted) n;
    else
        select array_agg(n.post_id), array_agg(extract(epoch from n.published_at) * 1000000), array_agg(n.m)
        into ids, keys, metres
        from (select f.post_id, f.published_at, f.m
              from darkroom.tiles_around(latitude, longitude, radius_m, 11) t
              cross join lateral (
                  select f.post_id, f.published_at, m
                  from darkroom.feed f
                  cross join lateral (select darkroom.point_distance_m(latitude, longitude, f.position) as m) d
                  where f.wide_tile = t.tile and f.published_at <= before
                    and (f.published_at, f.post_id) < (before, from_id)
                    and m <= radius_m and f.expires_at > now()
                    and (in_category is null or f.category = in_category) and (in_event is null or f.event = in_event)
                    and (since is null or f.published_at >= since)
                  order by f.wide_tile, f.published_at desc, f.post_id desc limit wanted) f
              order by f.published_at desc, f.post_id desc limit wanted) n;
    end if;
    return query select * from darkroom.show_posts(ids, keys, metres);
end $$;
comment on function darkroom.posts_within is
    'The posts within radius_m, 1 to 1,000,000 metres along the sphere, newest first. since is the earliest publishing time. page is 1 to 100 (others are taken as the nearest). after is the cursor of the last row of the page before, for the same arguments. Errors: 22023 for an argument out of its range or a cursor of another feed.';
