-- Feeds read from fewer places: what they search by is answered from indexes alone, and what they show is in the post's row.

-- Pictures. The renditions stay the truth; the row repeats what readers are shown of them.

alter table darkroom.posts add column pictures darkroom.picture[] not null default '{}';
comment on column darkroom.posts.pictures is
    'What readers are shown of the renditions, largest first: repeated here so that a feed need not look for them. A trigger keeps it.';

create function darkroom.pictures_of(post bigint) returns darkroom.picture[] language sql stable as $$
    select array(select row(r.name, r.media_key, r.format, r.width, r.height, r.bytes)::darkroom.picture
                 from darkroom.renditions r where r.post_id = post order by r.width desc, r.name)
$$;
comment on function darkroom.pictures_of is 'What readers are shown of a post''s renditions, largest first.';

update darkroom.posts p set pictures = darkroom.pictures_of(p.post_id);

-- Who publishes gives them with the post; then there is nothing left to write here.
create function darkroom.keep_pictures() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
begin
    update darkroom.posts p set pictures = n.pictures
    from (select distinct c.post_id from changed c) c
    cross join lateral (select darkroom.pictures_of(c.post_id) as pictures) n
    where p.post_id = c.post_id and p.pictures is distinct from n.pictures;
    return null;
end $$;
comment on function darkroom.keep_pictures is 'The trigger that repeats renditions in the row of their post.';
create trigger keep_pictures_of_new after insert on darkroom.renditions referencing new table as changed
    for each statement execute function darkroom.keep_pictures();
create trigger keep_pictures after update on darkroom.renditions referencing new table as changed
    for each statement execute function darkroom.keep_pictures();
create trigger keep_pictures_of_gone after delete on darkroom.renditions referencing old table as changed
    for each statement execute function darkroom.keep_pictures();

-- In SQL and without settings of its own, so that it becomes part of the statement that calls it: the callers set what it
-- needs.
create or replace function darkroom.show_posts(ids bigint[], keys double precision[], distances double precision[])
returns setof darkroom.feed_post language sql stable rows 20 as $$
    select p.post_id, p.published_at, p.uploader,
           (select w.display_name from darkroom.people w where w.person = p.uploader), p.headline, p.caption, p.link,
           p.category, p.event, p.taken_at, p.taken_at_local, p.time_zone, p.latitude, p.longitude, p.country_code,
           p.country_name, p.admin1_code, p.admin1_name, p.place_geonameid, p.place_name, p.width, p.height,
           p.placeholder, p.pictures, coalesce(c.likes, 0), coalesce(c.dislikes, 0), coalesce(c.comments, 0),
           coalesce(c.views, 0), i.distance_m, i.key, i.key::text || '~' || p.post_id
    from unnest(ids, keys, distances) with ordinality as i (post_id, key, distance_m, number)
    join darkroom.posts p using (post_id)
    left join darkroom.post_counters c using (post_id)
    where p.state = 'published' and (p.expires_at is null or p.expires_at > now())
    order by i.number
$$;
alter function darkroom.show_posts(bigint[], double precision[], double precision[]) reset all;
do $$
declare
    caller regprocedure;
begin
    for caller in
        select p.oid from pg_proc p
        where p.pronamespace = (select s.pronamespace from pg_proc s where s.oid = 'darkroom.show_posts'::regproc)
          and p.proname in ('latest_posts', 'nearest_posts', 'posts_within', 'near_and_good_posts', 'top_posts',
                            'cluster_posts', 'map_photos', 'post_details')
    loop
        execute format(
            'alter function %s set extra_float_digits = 1 set enable_seqscan = off set enable_hashjoin = off
                 set enable_mergejoin = off set jit = off set plan_cache_mode = force_generic_plan', caller);
    end loop;
end $$;

-- Indexes. What a feed compares is in them, so that the rows of posts that it passes over are not read, which lie in the
-- order of publishing and so all over the table.

create function darkroom.tile_box(level integer, x integer, y integer) returns box
language sql immutable parallel safe as $$
    select box(point(case when x = 0 then '-infinity' else x * 2.0 ^ (26 - level) end,
                     case when y = 0 then '-infinity' else y * 2.0 ^ (26 - level) end),
               point(case when x + 1 = 1 << level then 'infinity' else (x + 1) * 2.0 ^ (26 - level) end,
                     case when y + 1 = 1 << level then 'infinity' else (y + 1) * 2.0 ^ (26 - level) end))
$$;
comment on function darkroom.tile_box is
    'The square of the plane of a tile, with its edges, and with what lies beyond the map in tiles at its edge: what darkroom.tile_at puts into it lies in here.';

drop index darkroom.feed_position;
drop index darkroom.feed_tile;
drop index darkroom.feed_wide_tile;
drop index darkroom.feed_leaf;
drop index darkroom.feed_latest;
drop index darkroom.posts_place;
alter table darkroom.feed drop column leaf;
comment on table darkroom.feed is
    'One row for every post that readers see. tile is that of zoom level 15 (1.2 km at the equator), wide_tile of 11.';
create index feed_position on darkroom.feed using gist (position)
    include (post_id, published_at, expires_at, category, event);
create index feed_tile on darkroom.feed (tile, published_at desc, post_id desc)
    include (position, expires_at, category, event);
create index feed_wide_tile on darkroom.feed (wide_tile, published_at desc, post_id desc)
    include (position, expires_at, category, event);
create index feed_latest on darkroom.feed (published_at desc, post_id desc) include (expires_at);
drop index darkroom.ranks_tile_likes;
drop index darkroom.ranks_tile_wilson;
drop index darkroom.ranks_tile_weighted;
drop index darkroom.ranks_tile_hot;
drop index darkroom.ranks_wide_tile_hot;
create index ranks_tile_likes on darkroom.ranks (tile, likes desc, post_id desc)
    include (position, published_at, expires_at, category, event);
create index ranks_tile_wilson on darkroom.ranks (tile, wilson desc, post_id desc)
    include (position, published_at, expires_at, category, event);
create index ranks_tile_weighted on darkroom.ranks (tile, weighted desc, post_id desc)
    include (position, published_at, expires_at, category, event);
create index ranks_tile_hot on darkroom.ranks (tile, hot desc, post_id desc)
    include (position, published_at, expires_at, category, event, magnitude);
create index ranks_wide_tile_hot on darkroom.ranks (wide_tile, hot desc, post_id desc)
    include (position, published_at, expires_at, category, event, magnitude);
-- Of pages that have not been vacuumed since they were written, an index does not answer alone.
alter table darkroom.feed set (autovacuum_vacuum_insert_scale_factor = 0.01, autovacuum_vacuum_insert_threshold = 10000);

-- What wrote or read the leaf of level 20, whose posts the index of positions finds too.
create or replace function darkroom.keep_feed() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
declare
    x double precision;
    y double precision;
begin
    if tg_op <> 'INSERT' and old.state = 'published' then
        insert into darkroom.map_changes (leaf)
        select darkroom.tile_at(f.position[0], f.position[1], 20) from darkroom.feed f where f.post_id = old.post_id;
        if tg_op = 'DELETE' or new.state <> 'published' then
            delete from darkroom.feed where post_id = old.post_id;
            delete from darkroom.ranks where post_id = old.post_id;
            perform darkroom.want_tally();
        end if;
    end if;
    if tg_op <> 'DELETE' and new.state = 'published' then
        x := darkroom.plane_x(new.longitude);
        y := darkroom.plane_y(new.latitude);
        insert into darkroom.feed (
            post_id, published_at, expires_at, position, tile, wide_tile, place, category, event, uploader)
        values (new.post_id, new.published_at, coalesce(new.expires_at, 'infinity'), point(x, y),
                darkroom.tile_at(x, y, 15), darkroom.tile_at(x, y, 11), new.place_geonameid, new.category, new.event,
                new.uploader)
        on conflict (post_id) do update set
            published_at = excluded.published_at, expires_at = excluded.expires_at, position = excluded.position,
            tile = excluded.tile, wide_tile = excluded.wide_tile, place = excluded.place, category = excluded.category, event = excluded.event, uploader = excluded.uploader;
        if tg_op <> 'INSERT' then
            perform darkroom.rank_post(new.post_id);
        end if;
        insert into darkroom.map_changes (leaf) values (darkroom.tile_at(x, y, 20));
        perform darkroom.want_tally();
    end if;
    return null;
end $$;

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
        insert into darkroom.map_changes (leaf)
        select darkroom.tile_at(f.position[0], f.position[1], 20) from darkroom.feed f where f.post_id = any (voted);
    end if;
    return taken;
end $$;

create or replace function darkroom.reckon_leaves(leaves bigint[]) returns void
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
begin
    with now_there as (
        select d as leaf, n.*
        from unnest(leaves) d cross join lateral (
            select count(*) as posts, sum(f.position[0]) as sum_x, sum(f.position[1]) as sum_y,
                   (array_agg(f.post_id order by h.hot desc, f.post_id desc))[1] as best, max(h.hot) as best_hot
            from darkroom.feed f
            left join darkroom.ranks r using (post_id)
            cross join lateral (select coalesce(r.hot, darkroom.age_magnitude(f.published_at)) as hot) h
            where f.position <@ darkroom.tile_box(20, (d >> 26)::integer, (d & 67108863)::integer)
              and darkroom.tile_at(f.position[0], f.position[1], 20) = d) n),
    gone as (
        delete from darkroom.map_tiles m using now_there n
        where n.posts = 0 and m.level = 20 and m.x = (n.leaf >> 26)::integer and m.y = (n.leaf & 67108863)::integer)
    insert into darkroom.map_tiles as m (level, x, y, posts, sum_x, sum_y, best, best_hot)
    select 20, leaf >> 26, leaf & 67108863, posts, sum_x, sum_y, best, best_hot from now_there where posts > 0
    on conflict (level, x, y) do update set
        posts = excluded.posts, sum_x = excluded.sum_x, sum_y = excluded.sum_y, best = excluded.best,
        best_hot = excluded.best_hot;
end $$;

create or replace function darkroom.rebuild_feeds() returns void
language plpgsql set jit = off as $$
begin
    lock table darkroom.posts in share row exclusive mode;
    delete from darkroom.feed;
    delete from darkroom.ranks;
    delete from darkroom.map_tiles;
    delete from darkroom.map_changes;
    insert into darkroom.feed (
        post_id, published_at, expires_at, position, tile, wide_tile, place, category, event, uploader)
    select p.post_id, p.published_at, coalesce(p.expires_at, 'infinity'), point(x, y), darkroom.tile_at(x, y, 15),
           darkroom.tile_at(x, y, 11), p.place_geonameid, p.category, p.event, p.uploader
    from darkroom.posts p
    cross join lateral (select darkroom.plane_x(p.longitude) as x, darkroom.plane_y(p.latitude) as y) c
    where p.state = 'published';
    insert into darkroom.ranks (
        post_id, published_at, expires_at, position, tile, wide_tile, place, category, event, likes, dislikes,
        wilson, weighted, magnitude, hot)
    select f.post_id, f.published_at, f.expires_at, f.position, f.tile, f.wide_tile, f.place, f.category, f.event,
           c.likes, c.dislikes,
           darkroom.wilson_score(c.likes, c.dislikes),
           darkroom.weighted_rating(c.likes, c.dislikes, a.average_rating, a.average_votes),
           darkroom.vote_magnitude(c.likes, c.dislikes),
           darkroom.vote_magnitude(c.likes, c.dislikes) + darkroom.age_magnitude(f.published_at)
    from darkroom.feed f join darkroom.post_counters c using (post_id), darkroom.rating_averages a
    where c.likes + c.dislikes > 0;
    insert into darkroom.map_tiles (level, x, y, posts, sum_x, sum_y, best, best_hot)
    select 20, l.leaf >> 26, l.leaf & 67108863, count(*), sum(f.position[0]), sum(f.position[1]),
           (array_agg(f.post_id order by l.hot desc, f.post_id desc))[1], max(l.hot)
    from darkroom.feed f left join darkroom.ranks r using (post_id)
    cross join lateral (
        select darkroom.tile_at(f.position[0], f.position[1], 20) as leaf,
               coalesce(r.hot, darkroom.age_magnitude(f.published_at)) as hot) l
    group by l.leaf order by l.leaf;
    for above in reverse 19..2 loop
        insert into darkroom.map_tiles (level, x, y, posts, sum_x, sum_y, best, best_hot)
        select above, x >> 1, y >> 1, sum(posts), sum(sum_x), sum(sum_y),
               (array_agg(best order by best_hot desc, best desc))[1], max(best_hot)
        from darkroom.map_tiles where level = above + 1 group by x >> 1, y >> 1 order by 2, 3;
    end loop;
end $$;


-- Searches.

-- The lists are read no further back than to the newest so many of the tiles that lie within the circle, or of the one in its
-- middle: of a tile that the circle only touches, all might be read in vain.
do $do$
declare
    variant text;
begin
    foreach variant in array array['tile', 'wide_tile'] loop
        execute replace($f$
create function darkroom.newest_in_TILE(
    latitude double precision, longitude double precision, radius_m double precision, wanted integer,
    before timestamptz, from_id bigint, earliest timestamptz, in_category text, in_event text, boxes box[],
    out ids bigint[], out keys double precision[], out metres double precision[]
) language plpgsql stable
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off
set enable_sort = off set jit = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_variable
declare
    tiles       bigint[];
    inner_tiles bigint[];
    least_time  timestamptz := earliest;
begin
    select array_agg(t.tile order by t.near_m),
           array_agg(t.tile order by t.near_m) filter (
               where t.near_m + 57000000 * cos(radians(abs(latitude))) / 2 ^ case 'TILE' when 'tile' then 15 else 11 end
                     < radius_m)
    into tiles, inner_tiles
    from darkroom.tiles_around(latitude, longitude, radius_m, case 'TILE' when 'tile' then 15 else 11 end) t;
    inner_tiles := coalesce(inner_tiles, tiles[1:1]);
    select min(h.published_at) into least_time
    from (select h.published_at
          from unnest(inner_tiles) as t (tile)
          cross join lateral (
              select f.published_at
              from darkroom.feed f
              where f.TILE = t.tile and f.published_at <= before and f.published_at >= earliest
                and (f.position <@ boxes[1] or f.position <@ boxes[2])
                and (f.published_at, f.post_id) < (before, from_id)
                and darkroom.point_distance_m(latitude, longitude, f.position) <= radius_m and f.expires_at > now()
                and (in_category is null or f.category = in_category) and (in_event is null or f.event = in_event)
              order by f.TILE, f.published_at desc, f.post_id desc
              limit least(wanted, 1 + 2 * wanted / cardinality(inner_tiles))) h
          order by h.published_at desc limit wanted) h
    having count(*) = wanted;
    least_time := coalesce(least_time, earliest);
    select array_agg(n.post_id), array_agg(extract(epoch from n.published_at) * 1000000), array_agg(n.m)
    into ids, keys, metres
    from (select f.post_id, f.published_at, f.m
          from unnest(tiles) as t (tile)
          cross join lateral (
              select f.post_id, f.published_at, m
              from darkroom.feed f
              cross join lateral (select darkroom.point_distance_m(latitude, longitude, f.position) as m) d
              where f.TILE = t.tile and f.published_at <= before and f.published_at >= least_time
                and (f.position <@ boxes[1] or f.position <@ boxes[2])
                and (f.published_at, f.post_id) < (before, from_id)
                and m <= radius_m and f.expires_at > now()
                and (in_category is null or f.category = in_category) and (in_event is null or f.event = in_event)
              order by f.TILE, f.published_at desc, f.post_id desc limit wanted) f
          order by f.published_at desc, f.post_id desc limit wanted) n;
end $$
$f$, 'TILE', variant);
    end loop;
end $do$;
comment on function darkroom.newest_in_tile is
    'The newest posts of a circle by the lists of the tiles that it touches, of those before a cursor and since a time: what posts_within shows. boxes are those around the circle, one or two, since they are compared sooner than a distance.';
comment on function darkroom.newest_in_wide_tile is 'As newest_in_tile, for wide circles.';

create function darkroom.whole_at_most() returns integer language sql immutable as $$ select 500 $$;
comment on function darkroom.whole_at_most is
    'How many posts in the square around a circle posts_within looks at one by one; with more it reads the lists of tiles.';

-- A circle with few posts is read whole. One with many is likely to be a fair part of its tiles, whose lists then soon
-- have the newest of it.
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
    whole   constant integer := darkroom.whole_at_most();
    wanted  integer := darkroom.page_size(page);
    before  timestamptz := coalesce(to_timestamp(0) + darkroom.cursor_key(after) * interval '1 microsecond', 'infinity');
    from_id bigint := coalesce(darkroom.cursor_post(after), 0);
    earliest constant timestamptz := coalesce(since, '-infinity');
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
    with near as materialized (
        select f.post_id, f.published_at, f.expires_at, f.position, f.category, f.event
        from unnest(boxes) b
        join darkroom.feed f on f.position <@ b limit whole + 1)
    select array_agg(n.post_id), array_agg(extract(epoch from n.published_at) * 1000000), array_agg(n.m),
           (select count(*) from near)
    into ids, keys, metres, there
    from (select *
          from (select f.post_id, f.published_at, m
                from near f
                cross join lateral (select darkroom.point_distance_m(latitude, longitude, f.position) as m) d
                where (select count(*) from near) <= whole
                  and m <= radius_m and f.expires_at > now() and (f.published_at, f.post_id) < (before, from_id)
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
    elsif there > whole and darkroom.tile_level(latitude, radius_m) = 15 then
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

-- A cluster with few posts is read whole. One within a tile that has a list is looked for in that. Of a larger one, the
-- lists of its tiles are found column by column, and their heads say which hold the newest.
create or replace function darkroom.cluster_posts(cluster bigint, page integer default 20, after text default null)
returns setof darkroom.feed_post
language plpgsql stable rows 20 set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
set enable_mergejoin = off set enable_sort = off set jit = off
set plan_cache_mode = force_generic_plan set extra_float_digits = 1 as $$
#variable_conflict use_variable
declare
    level   integer := cluster >> 52;
    x       integer := (cluster >> 26) & 67108863;
    y       integer := cluster & 67108863;
    wanted  integer := darkroom.page_size(page);
    before  timestamptz := coalesce(to_timestamp(0) + darkroom.cursor_key(after) * interval '1 microsecond', 'infinity');
    from_id bigint := coalesce(darkroom.cursor_post(after), 0);
    number  bigint := x::bigint << 26 | y;
    further integer := case when level >= 11 then 15 else 11 end - level;
    ids     bigint[];
    keys    double precision[];
begin
    if level is null or level not between 2 and 20 or greatest(x, y) >> level > 0 then
        raise exception using errcode = 'invalid_parameter_value', message = format('%s is no cluster', cluster),
            hint = 'Clusters are numbered by darkroom.map_clusters.';
    end if;
    if coalesce((select m.posts from darkroom.map_tiles m where m.level = level and m.x = x and m.y = y), 0)
       <= darkroom.few_at_most() then
        select array_agg(n.post_id), array_agg(extract(epoch from n.published_at) * 1000000) into ids, keys
        from (select f.post_id, f.published_at
              from (select f.post_id, f.published_at from darkroom.feed f
                    where f.position <@ darkroom.tile_box(level, x, y)
                      and darkroom.tile_at(f.position[0], f.position[1], level) = number
                      and (f.published_at, f.post_id) < (before, from_id) and f.expires_at > now() offset 0) f
              order by f.published_at desc, f.post_id desc limit wanted) n;
    elsif level >= 15 then
        select array_agg(n.post_id), array_agg(extract(epoch from n.published_at) * 1000000) into ids, keys
        from (select f.post_id, f.published_at from darkroom.feed f
              where f.tile = (x >> (level - 15))::bigint << 26 | (y >> (level - 15))
                and darkroom.tile_at(f.position[0], f.position[1], level) = number
                and (f.published_at, f.post_id) < (before, from_id) and f.expires_at > now()
              order by f.tile, f.published_at desc, f.post_id desc limit wanted) n;
    else
        execute replace(
            'with recursive lists (list, last) as (
                 select n.list, c.number + (1 << $1) - 1
                 from (select (x::bigint << 26) + ($3 << $1) as number
                       from generate_series($2 << $1, (($2 + 1) << $1) - 1) x) c
                 cross join lateral (
                     select f.TILE as list from darkroom.feed f
                     where f.TILE >= c.number and f.TILE < c.number + (1 << $1) order by f.TILE limit 1) n
                 union all
                 select n.list, l.last from lists l cross join lateral (
                     select f.TILE as list from darkroom.feed f
                     where f.TILE > l.list and f.TILE <= l.last order by f.TILE limit 1) n),
             heads as materialized (
                 select l.list, h.* from lists l cross join lateral (
                     select f.published_at, f.post_id from darkroom.feed f
                     where f.TILE = l.list and (f.published_at, f.post_id) < ($4, $5) and f.expires_at > now()
                     order by f.TILE, f.published_at desc, f.post_id desc limit 1) h
                 order by h.published_at desc, h.post_id desc limit $6)
             select array_agg(n.post_id), array_agg(extract(epoch from n.published_at) * 1000000)
             from (select f.post_id, f.published_at from heads cross join lateral (
                       select f.post_id, f.published_at from darkroom.feed f
                       where f.TILE = heads.list and (f.published_at, f.post_id) < ($4, $5) and f.expires_at > now()
                         and f.published_at >= (
                             select case when count(*) = $6 then min(h.published_at) else ''-infinity'' end from heads h)
                       order by f.TILE, f.published_at desc, f.post_id desc limit $6) f
                   order by f.published_at desc, f.post_id desc limit $6) n',
            'TILE', case when level >= 11 then 'tile' else 'wide_tile' end)
        into ids, keys using further, x, y, before, from_id, wanted;
    end if;
    return query select * from darkroom.show_posts(ids, keys, null);
end $$;

-- Functions that were replaced run as their callers until this gives them the owner's rights again.
select darkroom.grant_roles();
