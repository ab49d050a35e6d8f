-- Feeds that ask for little among much: boards of a time, and what is near of a rare category, event or hour. They used
-- to read along an order of everything and to leave what was not asked for, which for a day of a large place or a rare
-- event was nearly all of it.

create function darkroom.day_number(at timestamptz) returns integer
language sql immutable parallel safe as $$ select floor(extract(epoch from at) / 86400)::integer $$;
comment on function darkroom.day_number is 'Days of UTC since 1970-01-01.';
create function darkroom.week_number(at timestamptz) returns integer
language sql immutable parallel safe as $$ select floor(extract(epoch from at) / 604800)::integer $$;
comment on function darkroom.week_number is 'Weeks of UTC, from Thursday to Thursday, since 1970-01-01.';

alter table darkroom.ranks
    add column day integer not null generated always as (darkroom.day_number(published_at)) stored,
    add column week integer not null generated always as (darkroom.week_number(published_at)) stored;
comment on column darkroom.ranks.day is 'The UTC day of publishing: one list a board.';
comment on column darkroom.ranks.week is 'The week of publishing: one list a board of a place, an event or a category.';
create index ranks_day_likes on darkroom.ranks (day, likes desc, post_id desc);
create index ranks_day_wilson on darkroom.ranks (day, wilson desc, post_id desc);
create index ranks_day_weighted on darkroom.ranks (day, weighted desc, post_id desc);
create index ranks_day_hot on darkroom.ranks (day, hot desc, post_id desc);
drop index darkroom.ranks_place_likes;
create index ranks_place_likes on darkroom.ranks (place, week, likes desc, post_id desc) where place is not null;
drop index darkroom.ranks_place_wilson;
create index ranks_place_wilson on darkroom.ranks (place, week, wilson desc, post_id desc) where place is not null;
drop index darkroom.ranks_place_weighted;
create index ranks_place_weighted on darkroom.ranks (place, week, weighted desc, post_id desc) where place is not null;
drop index darkroom.ranks_place_hot;
create index ranks_place_hot on darkroom.ranks (place, week, hot desc, post_id desc) where place is not null;
drop index darkroom.ranks_category_likes;
create index ranks_category_likes on darkroom.ranks (category, week, likes desc, post_id desc) where category is not null;
drop index darkroom.ranks_category_wilson;
create index ranks_category_wilson on darkroom.ranks (category, week, wilson desc, post_id desc) where category is not null;
drop index darkroom.ranks_category_weighted;
create index ranks_category_weighted on darkroom.ranks (category, week, weighted desc, post_id desc) where category is not null;
drop index darkroom.ranks_category_hot;
create index ranks_category_hot on darkroom.ranks (category, week, hot desc, post_id desc) where category is not null;
drop index darkroom.ranks_event_likes;
create index ranks_event_likes on darkroom.ranks (event, week, likes desc, post_id desc) where event is not null;
drop index darkroom.ranks_event_wilson;
create index ranks_event_wilson on darkroom.ranks (event, week, wilson desc, post_id desc) where event is not null;
drop index darkroom.ranks_event_weighted;
create index ranks_event_weighted on darkroom.ranks (event, week, weighted desc, post_id desc) where event is not null;
drop index darkroom.ranks_event_hot;
create index ranks_event_hot on darkroom.ranks (event, week, hot desc, post_id desc) where event is not null;

create function darkroom.few_at_most() returns integer language sql immutable as $$ select 4000 $$;
comment on function darkroom.few_at_most is
    'So many posts are looked at one by one rather than looked for among their neighbours. Looking at them takes some milliseconds; of a million posts, one in 250 is found among its neighbours as fast.';

-- The posts that the rarest of some conditions leaves, or null where each leaves more than a few.
create function darkroom.few_posts(in_category text, in_event text, since timestamptz) returns bigint[]
language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set jit = off
set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_variable
declare
    at_most constant integer := darkroom.few_at_most();
    ids bigint[];
begin
    if in_event is not null then
        ids := array(select f.post_id from darkroom.feed f where f.event = in_event
                     order by f.event, f.published_at desc limit at_most + 1);
        if cardinality(ids) <= at_most then return ids; end if;
    end if;
    if since is not null then
        ids := array(select f.post_id from darkroom.feed f where f.published_at >= since
                     order by f.published_at desc limit at_most + 1);
        if cardinality(ids) <= at_most then return ids; end if;
    end if;
    if in_category is not null then
        ids := array(select f.post_id from darkroom.feed f where f.category = in_category
                     order by f.category, f.published_at desc limit at_most + 1);
        if cardinality(ids) <= at_most then return ids; end if;
    end if;
    return null;
end $$;
comment on function darkroom.few_posts is
    'The numbers of all posts that readers see of an event, since a time or of a category, whichever are few_at_most or less; null where none is.';

create or replace function darkroom.nearest_posts(
    latitude    double precision,
    longitude   double precision,
    page        integer default 6,
    max_metres  double precision default null,
    in_category text default null,
    in_event    text default null,
    since       timestamptz default null,
    after       text default null
) returns setof darkroom.feed_post
language plpgsql stable rows 20 set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_variable
declare
    wanted  integer := darkroom.page_size(page);
    far     double precision;
    x       double precision;
    y       double precision;
    shift   double precision;
    found_m double precision;
    from_m  double precision := darkroom.cursor_key(after);
    from_id bigint := darkroom.cursor_post(after);
    ids     bigint[];
    metres  double precision[];
    few     bigint[];
begin
    perform darkroom.check_coordinate(latitude, longitude);
    if in_category is not null or in_event is not null or since is not null then
        few := darkroom.few_posts(in_category, in_event, since);
    end if;
    if few is not null then
        select array_agg(n.post_id order by n.m, n.post_id), array_agg(n.m order by n.m, n.post_id) into ids, metres
        from (select f.post_id, m
              from unnest(few) as w (post_id) join darkroom.feed f using (post_id)
              cross join lateral (select darkroom.point_distance_m(latitude, longitude, f.position) as m) d
              where (max_metres is null or m <= max_metres)
                and (in_category is null or f.category = in_category) and (in_event is null or f.event = in_event)
                and (since is null or f.published_at >= since) and f.expires_at > now()
                and (from_m is null or (m, f.post_id) > (from_m, from_id))
              order by m, f.post_id limit wanted) n;
        return query select * from darkroom.show_posts(ids, metres, metres);
        return;
    end if;
    x := darkroom.plane_x(longitude);
    y := darkroom.plane_y(latitude);
    -- The first so many in the plane bound how far the nearest on the sphere can be; beyond the edge there may be
    -- nearer ones, which only makes the bound larger than need be.
    select max(n.m) into far
    from (select darkroom.point_distance_m(latitude, longitude, f.position) as m from darkroom.feed f
          where (in_category is null or f.category = in_category) and (in_event is null or f.event = in_event)
            and (since is null or f.published_at >= since) and f.expires_at > now()
            and (from_m is null
                 or (darkroom.point_distance_m(latitude, longitude, f.position), f.post_id) > (from_m, from_id))
          order by f.position <-> point(x, y) limit wanted) n
    having count(*) = wanted;
    far := least(coalesce(far, 20100000), max_metres, 20100000);
    select array_agg(n.post_id order by n.m, n.post_id), array_agg(n.m order by n.m, n.post_id) into ids, metres
    from (select f.post_id, m
          from darkroom.boxes_around(latitude, longitude, far) b
          join darkroom.feed f on f.position <@ b
          cross join lateral (select darkroom.point_distance_m(latitude, longitude, f.position) as m) d
          where m <= far
            and (in_category is null or f.category = in_category) and (in_event is null or f.event = in_event)
            and (since is null or f.published_at >= since) and f.expires_at > now()
            and (from_m is null or (m, f.post_id) > (from_m, from_id))
          order by m, f.post_id limit wanted) n;
    return query select * from darkroom.show_posts(ids, metres, metres);
end $$;

do $do$
declare
    variant text;
begin
    foreach variant in array array['tile', 'wide_tile'] loop
        execute replace($f$
create or replace function darkroom.best_in_TILE(
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
    earliest constant timestamptz := coalesce(since, '-infinity');
    -- What has votes and is as young as that has at least so much.
    least_hot double precision := '-infinity';
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
    if since > '-infinity' then
        least_hot := darkroom.age_magnitude(since)
                     + coalesce((select r.magnitude from darkroom.ranks r order by r.magnitude limit 1), 0) - 1e-6;
    end if;
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
                        where r.TILE = t.tile and r.hot >= least_hot and m <= metres and r.expires_at > now()
                          and (in_category is null or r.category = in_category)
                          and (in_event is null or r.event = in_event)
                          and r.published_at >= earliest
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
                        where f.TILE = t.tile and f.published_at >= earliest and m <= metres and f.expires_at > now()
                          and (in_category is null or f.category = in_category)
                          and (in_event is null or f.event = in_event)
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
                    where r.TILE = t.tile and r.hot >= greatest(least_hot, (least_score + t.loss - surplus) / age_weight - 1e-6)
                      and m <= metres and r.expires_at > now() and s.score >= least_score
                      and (in_category is null or r.category = in_category)
                      and (in_event is null or r.event = in_event)
                      and r.published_at >= earliest
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
                      and f.published_at >= case when least_score = '-infinity' then earliest else greatest(
                              earliest, to_timestamp(((least_score + t.loss) / age_weight - 1e-6) * 86400)) end
                      and m <= metres and f.expires_at > now() and s.score >= least_score
                      and (in_category is null or f.category = in_category)
                      and (in_event is null or f.event = in_event)
                      and (from_score is null or (s.score, f.post_id) < (from_score, from_id))
                      and not exists (select from darkroom.ranks r where r.post_id = f.post_id)) l) a
          order by a.score desc, a.post_id desc limit wanted) b;
end $$
$f$, 'TILE', variant);
    end loop;
end $do$;

create or replace function darkroom.near_and_good_posts(
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
language plpgsql stable rows 20 set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_variable
declare
    seconds double precision := extract(epoch from half_life);
    found   record;
    few     bigint[];
    from_score double precision := darkroom.cursor_key(after);
    from_id    bigint := darkroom.cursor_post(after);
begin
    perform darkroom.check_coordinate(latitude, longitude);
    if not coalesce(seconds between 60 and 3155760000, false) or not coalesce(vote_weight between 0 and 100, false)
       or not coalesce(distance_weight between 0 and 100, false)
       or not coalesce(distance_scale_m between 1 and 1e6, false) or not coalesce(radius_m between 1 and 1e6, false)
    then
        raise exception using errcode = 'invalid_parameter_value', message = 'a parameter is out of its range',
            hint = 'half_life: a minute to a century; weights: 0 to 100; distance_scale_m and radius_m: 1 to 1,000,000.';
    end if;
    if in_category is not null or in_event is not null or since is not null then
        few := darkroom.few_posts(in_category, in_event, since);
    end if;
    if few is not null then
        select array_agg(b.post_id order by b.score desc, b.post_id desc) as ids,
               array_agg(b.score order by b.score desc, b.post_id desc) as scores,
               array_agg(b.m order by b.score desc, b.post_id desc) as distances
        into found
        from (select f.post_id, s.score, m
              from unnest(few) as w (post_id) join darkroom.feed f using (post_id)
              left join darkroom.ranks r using (post_id)
              cross join lateral (select darkroom.point_distance_m(latitude, longitude, f.position) as m) d
              cross join lateral (
                  select vote_weight * coalesce(r.magnitude, 0)
                         + 86400 / seconds * darkroom.age_magnitude(f.published_at)
                         - distance_weight * ln(1 + m / distance_scale_m) / ln(2) as score) s
              where m <= radius_m and f.expires_at > now()
                and (in_category is null or f.category = in_category) and (in_event is null or f.event = in_event)
                and (since is null or f.published_at >= since)
                and (from_score is null or (s.score, f.post_id) < (from_score, from_id))
              order by s.score desc, f.post_id desc limit darkroom.page_size(page)) b;
    elsif darkroom.tile_level(latitude, radius_m) = 15 then
        select * into found from darkroom.best_in_tile(
            latitude, longitude, radius_m, darkroom.page_size(page), vote_weight, 86400 / seconds, distance_weight,
            distance_scale_m, in_category, in_event, since, from_score, from_id);
    else
        select * into found from darkroom.best_in_wide_tile(
            latitude, longitude, radius_m, darkroom.page_size(page), vote_weight, 86400 / seconds, distance_weight,
            distance_scale_m, in_category, in_event, since, from_score, from_id);
    end if;
    return query select * from darkroom.show_posts(found.ids, found.scores, found.distances);
end $$;

-- Of the tiles that a circle touches, only those whose newest posts are among the newest so many can hold any of these.
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
set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_variable
declare
    wanted  integer := darkroom.page_size(page);
    before  timestamptz := coalesce(to_timestamp(0) + darkroom.cursor_key(after) * interval '1 microsecond', 'infinity');
    from_id bigint := coalesce(darkroom.cursor_post(after), 0);
    ids     bigint[];
    keys    double precision[];
    metres  double precision[];
    few     bigint[];
    earliest constant timestamptz := coalesce(since, '-infinity');
begin
    perform darkroom.check_coordinate(latitude, longitude);
    if not coalesce(radius_m between 1 and 1e6, false) then
        raise exception using errcode = 'invalid_parameter_value', message = 'radius_m is out of its range',
            hint = 'Give 1 to 1,000,000 metres.';
    end if;
    if radius_m > 500 and (in_category is not null or in_event is not null) then
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
    elsif radius_m <= 500 then
        select array_agg(n.post_id), array_agg(extract(epoch from n.published_at) * 1000000), array_agg(n.m)
        into ids, keys, metres
        from (select *
              from (select f.post_id, f.published_at, m
                    from darkroom.boxes_around(latitude, longitude, radius_m) b
                    join darkroom.feed f on f.position <@ b
                    cross join lateral (select darkroom.point_distance_m(latitude, longitude, f.position) as m) d
                    where m <= radius_m and f.expires_at > now() and (f.published_at, f.post_id) < (before, from_id)
                      and (in_category is null or f.category = in_category)
                      and (in_event is null or f.event = in_event) and f.published_at >= earliest
                    offset 0) f
              order by f.published_at desc, f.post_id desc limit wanted) n;
    elsif darkroom.tile_level(latitude, radius_m) = 15 then
        select array_agg(n.post_id), array_agg(extract(epoch from n.published_at) * 1000000), array_agg(n.m)
        into ids, keys, metres
        from (with heads as materialized (
                  select t.tile, h.published_at, h.post_id
                  from darkroom.tiles_around(latitude, longitude, radius_m, 15) t
                  cross join lateral (
                      select f.published_at, f.post_id
                      from darkroom.feed f
                      where f.tile = t.tile and f.published_at <= before and f.published_at >= earliest
                        and (f.published_at, f.post_id) < (before, from_id)
                        and darkroom.point_distance_m(latitude, longitude, f.position) <= radius_m and f.expires_at > now()
                        and (in_category is null or f.category = in_category) and (in_event is null or f.event = in_event)
                      order by f.tile, f.published_at desc, f.post_id desc limit 1) h
                  order by h.published_at desc, h.post_id desc limit wanted)
              select f.post_id, f.published_at, f.m
              from heads
              cross join lateral (
                  select f.post_id, f.published_at, m
                  from darkroom.feed f
                  cross join lateral (select darkroom.point_distance_m(latitude, longitude, f.position) as m) d
                  where f.tile = heads.tile and f.published_at <= before
                    and f.published_at >= greatest(earliest, (
                        select case when count(*) = wanted then min(h.published_at) end from heads h))
                    and (f.published_at, f.post_id) < (before, from_id)
                    and m <= radius_m and f.expires_at > now()
                    and (in_category is null or f.category = in_category) and (in_event is null or f.event = in_event)
                  order by f.tile, f.published_at desc, f.post_id desc limit wanted) f
              order by f.published_at desc, f.post_id desc limit wanted) n;
    else
        select array_agg(n.post_id), array_agg(extract(epoch from n.published_at) * 1000000), array_agg(n.m)
        into ids, keys, metres
        from (with heads as materialized (
                  select t.tile, h.published_at, h.post_id
                  from darkroom.tiles_around(latitude, longitude, radius_m, 11) t
                  cross join lateral (
                      select f.published_at, f.post_id
                      from darkroom.feed f
                      where f.wide_tile = t.tile and f.published_at <= before and f.published_at >= earliest
                        and (f.published_at, f.post_id) < (before, from_id)
                        and darkroom.point_distance_m(latitude, longitude, f.position) <= radius_m and f.expires_at > now()
                        and (in_category is null or f.category = in_category) and (in_event is null or f.event = in_event)
                      order by f.wide_tile, f.published_at desc, f.post_id desc limit 1) h
                  order by h.published_at desc, h.post_id desc limit wanted)
              select f.post_id, f.published_at, f.m
              from heads
              cross join lateral (
                  select f.post_id, f.published_at, m
                  from darkroom.feed f
                  cross join lateral (select darkroom.point_distance_m(latitude, longitude, f.position) as m) d
                  where f.wide_tile = heads.tile and f.published_at <= before
                    and f.published_at >= greatest(earliest, (
                        select case when count(*) = wanted then min(h.published_at) end from heads h))
                    and (f.published_at, f.post_id) < (before, from_id)
                    and m <= radius_m and f.expires_at > now()
                    and (in_category is null or f.category = in_category) and (in_event is null or f.event = in_event)
                  order by f.wide_tile, f.published_at desc, f.post_id desc limit wanted) f
              order by f.published_at desc, f.post_id desc limit wanted) n;
    end if;
    return query select * from darkroom.show_posts(ids, keys, metres);
end $$;

-- A board has a list for every day, and one for every week of a place, an event and a category. Of the lists that a time
-- covers, the heads say which can have any of the best: a post among the best so many is in a list whose head is.
-- Of these, what lies below all heads is not among the best either.
-- What a time has of its first and last list is read by time instead where that is little.
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
set enable_sort = off set jit = off as $$
#variable_conflict use_variable
declare
    sorted_at_most constant integer := darkroom.few_at_most();
    most_lists     constant integer := 1100;
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
    few      boolean := false;
begin
    rest := equals
         || case when since is not null then ' and published_at >= $4' else '' end
         || case when until is not null then ' and published_at < $5' else '' end
         || case when from_key is not null then format(' and (%I, post_id) < ($6, $7)', board) else '' end
         || ' and expires_at > now()';
    if radius_m is not null then
        perform darkroom.check_coordinate(latitude, longitude);
        if not radius_m between 1 and 1e6 then
            raise exception using errcode = 'invalid_parameter_value', message = 'radius_m is out of its range',
                hint = 'Give 1 to 1,000,000 metres.';
        end if;
        if since is not null then
            select count(*) <= sorted_at_most into few
            from (select from darkroom.tiles_around(latitude, longitude, radius_m, 15) t
                  join darkroom.feed f on f.tile = t.tile and f.published_at >= since
                                      and f.published_at < coalesce(until, 'infinity')
                  limit sorted_at_most + 1) f;
        end if;
        execute format(
            case when few then
                'select array_agg(post_id), array_agg(key), array_agg(m) from (
                     select * from (
                         select r.post_id, r.%1$I::float8 as key, m
                         from darkroom.tiles_around($8, $9, $10, 15) t
                         join darkroom.feed f on f.tile = t.tile and f.published_at >= $4
                                             and f.published_at < coalesce($5, ''infinity'')
                         join lateral (select * from darkroom.ranks r where r.post_id = f.post_id %2$s) r on true
                         cross join lateral (select darkroom.point_distance_m($8, $9, r.position) as m) d
                         where m <= $10 offset 0) r
                     order by key desc, post_id desc limit $11) r'
            else
                'with heads as materialized (
                     select t.tile, h.*
                     from darkroom.tiles_around($8, $9, $10, 15) t cross join lateral (
                         select %1$I as key, post_id from darkroom.ranks
                         where tile = t.tile and darkroom.point_distance_m($8, $9, position) <= $10 %2$s
                         order by tile, %1$I desc, post_id desc limit 1) h
                     order by h.key desc, h.post_id desc limit $11)
                 select array_agg(post_id), array_agg(key), array_agg(m) from (
                     select r.* from heads cross join lateral (
                         select post_id, %1$I::float8 as key, m from darkroom.ranks
                         cross join lateral (select darkroom.point_distance_m($8, $9, position) as m) d
                         where tile = heads.tile and m <= $10 %2$s
                           and %1$I >= (select case when count(*) = $11 then min(key) else -2147483648 end from heads)
                         order by tile, %1$I desc, post_id desc limit $11) r
                     order by key desc, post_id desc limit $11) r'
            end, board, rest)
        into ids, keys, metres
        using in_place, in_event, in_category, since, until, from_key, from_id, latitude, longitude, radius_m, wanted;
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
comment on function darkroom.top_posts is
    'A rank board: the posts with votes by likes, by wilson (lower bound of the share of likes), by weighted (rating with the average added) or by hot (lead in likes and age), of all or of a place, event, category, time (since, and before until) or the area of radius_m, 1 to 1,000,000 metres, around a coordinate. page is 1 to 100 (others are taken as the nearest). after is the cursor of the last row of the page before, for the same arguments. Errors: 22023 for no coordinate, a radius out of its range or a cursor of another feed.';

-- Of two at once, the second waits: it might otherwise count that a vote was taken back before the vote.
create or replace function darkroom.tally_counters(at_most integer default 10000) returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    taken integer;
    voted bigint[];
begin
    perform pg_advisory_xact_lock(hashtextextended('darkroom.tally_counters', 0));
    with gone as (
        delete from darkroom.counter_changes where change_id in (
            select change_id from darkroom.counter_changes order by change_id limit at_most for update skip locked)
        returning *),
    sums as (
        select post_id, comment_id, sum(likes) as likes, sum(dislikes) as dislikes, sum(comments) as comments,
               sum(views) as views
        from gone group by post_id, comment_id),
    of_posts as (
        insert into darkroom.post_counters as c (post_id, likes, dislikes, comments, views)
        select s.post_id, s.likes, s.dislikes, s.comments, s.views from sums s
        where s.comment_id is null and exists (select from darkroom.posts p where p.post_id = s.post_id)
        order by s.post_id
        on conflict (post_id) do update set
            likes = c.likes + excluded.likes, dislikes = c.dislikes + excluded.dislikes,
            comments = c.comments + excluded.comments, views = c.views + excluded.views),
    of_comments as (
        update darkroom.comments c set likes = c.likes + s.likes, dislikes = c.dislikes + s.dislikes
        from sums s where s.comment_id = c.comment_id)
    select count(*), array_agg(s.post_id order by s.post_id)
                         filter (where s.comment_id is null and (s.likes <> 0 or s.dislikes <> 0))
    into taken, voted from sums s;
    if cardinality(voted) > 0 then
        perform darkroom.rank_post(v) from unnest(voted) v;
        insert into darkroom.map_changes (leaf) select leaf from darkroom.feed where post_id = any (voted);
    end if;
    return taken;
end $$;

-- Functions that were replaced run as their callers until this gives them the owner's rights again.
select darkroom.grant_roles();
