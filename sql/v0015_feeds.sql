-- What readers' feeds are read from: one narrow row a post that can be seen, one more once it has votes, and the
-- pyramid of the map. A trigger on posts keeps them, so that a post which cannot be seen has none, whoever hid it.

-- Places are points of the Web Mercator plane, whose unit is 1/2^26 of the equator (0.6 m). Mercator is conformal: near
-- a point, plane distances are the sphere's times 1/cos(latitude), so the built-in GiST index of points finds what is
-- near, and the sphere decides the order. Measured against PostGIS's geography: see Benchmarks/README.md.

create function darkroom.distance_m(
    latitude_1 double precision, longitude_1 double precision, latitude_2 double precision, longitude_2 double precision
) returns double precision
language sql immutable parallel safe as $$
    select 2 * 6371008.8 * asin(least(1, sqrt(
        sin(radians(latitude_2 - latitude_1) / 2) ^ 2
        + cos(radians(latitude_1)) * cos(radians(latitude_2)) * sin(radians(longitude_2 - longitude_1) / 2) ^ 2)))
$$;
comment on function darkroom.distance_m is
    'Metres along the sphere of the Earth''s mean radius 6,371,008.8 m (IUGG), by the haversine formula.';

create function darkroom.plane_x(longitude double precision) returns double precision
language sql immutable parallel safe as $$ select (longitude + 180) / 360 * 67108864 $$;
create function darkroom.plane_y(latitude double precision) returns double precision
language sql immutable parallel safe as $$
    select (1 - asinh(tan(radians(least(89.999999, greatest(-89.999999, latitude))))) / pi()) / 2 * 67108864
$$;
create function darkroom.plane_longitude(x double precision) returns double precision
language sql immutable parallel safe as $$ select x / 67108864 * 360 - 180 $$;
create function darkroom.plane_latitude(y double precision) returns double precision
language sql immutable parallel safe as $$ select degrees(atan(sinh(pi() * (1 - 2 * y / 67108864)))) $$;

-- The number of the tile of a zoom level (2^level by 2^level tiles), 26 bits for x and y each. What lies beyond the
-- square of the map, at latitudes above 85.05 degrees, belongs to its edge.
create function darkroom.tile_at(x double precision, y double precision, level integer) returns bigint
language sql immutable parallel safe as $$
    select (least(67108863, greatest(0, floor(x)))::bigint >> (26 - level)) << 26
         | (least(67108863, greatest(0, floor(y)))::bigint >> (26 - level))
$$;

create table darkroom.feed (
    post_id      bigint primary key,
    published_at timestamptz not null,
    expires_at   timestamptz not null default 'infinity',
    position     point not null,
    tile         bigint not null,
    wide_tile    bigint not null,
    leaf         bigint not null,
    place        bigint,
    category     text,
    event        text,
    uploader     text not null
);
comment on table darkroom.feed is
    'One row for every post that readers see. tile is that of zoom level 15 (1.2 km at the equator), wide_tile of 11, leaf of 20.';
create index feed_latest on darkroom.feed (published_at desc, post_id desc);
create index feed_position on darkroom.feed using gist (position);
create index feed_tile on darkroom.feed (tile, published_at desc, post_id desc);
create index feed_wide_tile on darkroom.feed (wide_tile, published_at desc, post_id desc);
create index feed_leaf on darkroom.feed (leaf);
create index feed_place on darkroom.feed (place, published_at desc, post_id desc);
create index feed_category on darkroom.feed (category, published_at desc, post_id desc) where category is not null;
create index feed_event on darkroom.feed (event, published_at desc, post_id desc) where event is not null;
create index feed_uploader on darkroom.feed (uploader, published_at desc, post_id desc);

create function darkroom.wilson_score(likes bigint, dislikes bigint) returns double precision
language sql immutable parallel safe as $$
    select case when likes + dislikes = 0 then 0 else
        (likes + 1.9207294103470262
         - 1.959963984540054 * sqrt(likes::float8 * dislikes / (likes + dislikes) + 0.9603647051735131))
        / (likes + dislikes + 3.8414588206940524) end
$$;
comment on function darkroom.wilson_score is
    'Lower bound of the 95 % score interval of the share of likes (E. B. Wilson, Journal of the American Statistical Association 22, 1927); 0 without votes.';

create function darkroom.weighted_rating(
    likes bigint, dislikes bigint, average_rating double precision, average_votes double precision
) returns double precision
language sql immutable parallel safe as $$
    select case when likes + dislikes + average_votes = 0 then average_rating
                else (average_votes * average_rating + likes) / (average_votes + likes + dislikes) end
$$;
comment on function darkroom.weighted_rating is
    'The Bayesian average of the share of likes: average_votes votes of average_rating are added to the post''s own.';

create function darkroom.vote_magnitude(likes bigint, dislikes bigint) returns double precision
language sql immutable parallel safe as $$
    select sign(likes - dislikes) * ln(1 + abs(likes - dislikes)) / ln(2)
$$;
comment on function darkroom.vote_magnitude is
    'The binary logarithm of 1 + likes - dislikes, mirrored where the dislikes prevail: doubling the lead adds 1.';

create function darkroom.age_magnitude(published_at timestamptz, half_life interval default '1 day')
returns double precision
language sql immutable parallel safe as $$
    select extract(epoch from published_at)::float8 / extract(epoch from half_life)::float8
$$;
comment on function darkroom.age_magnitude is
    'The time in half-lives since 1970. Of two posts, the one that is a half-life younger has 1 more, at any later time: so nothing need be rewritten as posts age.';

create table darkroom.rating_averages (
    is_only_row    boolean primary key default true check (is_only_row),
    average_rating double precision not null default 0.5 check (average_rating between 0 and 1),
    average_votes  double precision not null default 0 check (average_votes >= 0),
    reckoned_at    timestamptz not null default now()
);
comment on table darkroom.rating_averages is
    'One row: the mean share of likes and the mean number of votes of the posts that have votes, as the reweigh job last reckoned them; the weighted ratings of all ranks are by these.';
insert into darkroom.rating_averages default values;
insert into darkroom.schedules (name, cron, kind) values ('reweigh', '29 * * * *', 'reweigh');

create table darkroom.ranks (
    post_id      bigint primary key,
    published_at timestamptz not null,
    expires_at   timestamptz not null,
    position     point not null,
    tile         bigint not null,
    wide_tile    bigint not null,
    place        bigint,
    category     text,
    event        text,
    likes        integer not null,
    dislikes     integer not null,
    wilson       double precision not null,
    weighted     double precision not null,
    magnitude    double precision not null,
    hot          double precision not null
) with (fillfactor = 80);
comment on table darkroom.ranks is
    'One row for every post that readers see and that has votes. hot is vote_magnitude + age_magnitude.';
create index ranks_likes on darkroom.ranks (likes desc, post_id desc);
create index ranks_tile_likes on darkroom.ranks (tile, likes desc, post_id desc);
create index ranks_place_likes on darkroom.ranks (place, likes desc, post_id desc) where place is not null;
create index ranks_category_likes on darkroom.ranks (category, likes desc, post_id desc) where category is not null;
create index ranks_event_likes on darkroom.ranks (event, likes desc, post_id desc) where event is not null;
create index ranks_wilson on darkroom.ranks (wilson desc, post_id desc);
create index ranks_tile_wilson on darkroom.ranks (tile, wilson desc, post_id desc);
create index ranks_place_wilson on darkroom.ranks (place, wilson desc, post_id desc) where place is not null;
create index ranks_category_wilson on darkroom.ranks (category, wilson desc, post_id desc) where category is not null;
create index ranks_event_wilson on darkroom.ranks (event, wilson desc, post_id desc) where event is not null;
create index ranks_weighted on darkroom.ranks (weighted desc, post_id desc);
create index ranks_tile_weighted on darkroom.ranks (tile, weighted desc, post_id desc);
create index ranks_place_weighted on darkroom.ranks (place, weighted desc, post_id desc) where place is not null;
create index ranks_category_weighted on darkroom.ranks (category, weighted desc, post_id desc) where category is not null;
create index ranks_event_weighted on darkroom.ranks (event, weighted desc, post_id desc) where event is not null;
create index ranks_hot on darkroom.ranks (hot desc, post_id desc);
create index ranks_tile_hot on darkroom.ranks (tile, hot desc, post_id desc);
create index ranks_place_hot on darkroom.ranks (place, hot desc, post_id desc) where place is not null;
create index ranks_category_hot on darkroom.ranks (category, hot desc, post_id desc) where category is not null;
create index ranks_event_hot on darkroom.ranks (event, hot desc, post_id desc) where event is not null;
create index ranks_wide_tile_hot on darkroom.ranks (wide_tile, hot desc, post_id desc);
create index ranks_latest on darkroom.ranks (published_at desc);
create index ranks_magnitude on darkroom.ranks (magnitude);

-- The map: for every level from 2 to 20 what lies in each tile that has posts. A tile is reckoned from the four below
-- it, those of level 20 from the posts, so that reckoning it again is always right.
create table darkroom.map_tiles (
    level    smallint not null,
    x        integer not null,
    y        integer not null,
    posts    integer not null check (posts > 0),
    sum_x    double precision not null,
    sum_y    double precision not null,
    best     bigint not null,
    best_hot double precision not null,
    primary key (level, x, y)
) with (fillfactor = 80);
comment on table darkroom.map_tiles is
    'Posts in each tile of the map, their summed positions, and the best of them by hot.';

create table darkroom.map_changes (
    change_id bigint generated always as identity primary key,
    leaf      bigint not null
) with (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0);
comment on table darkroom.map_changes is 'Leaves of the map that are to be reckoned again, by the tally job.';

create function darkroom.rank_post(target bigint) returns void
language plpgsql set enable_seqscan = off set jit = off as $$
begin
    insert into darkroom.ranks as r (
        post_id, published_at, expires_at, position, tile, wide_tile, place, category, event, likes, dislikes,
        wilson, weighted, magnitude, hot)
    select f.post_id, f.published_at, f.expires_at, f.position, f.tile, f.wide_tile, f.place, f.category, f.event,
           c.likes, c.dislikes,
           darkroom.wilson_score(c.likes, c.dislikes),
           darkroom.weighted_rating(c.likes, c.dislikes, a.average_rating, a.average_votes),
           darkroom.vote_magnitude(c.likes, c.dislikes),
           darkroom.vote_magnitude(c.likes, c.dislikes) + darkroom.age_magnitude(f.published_at)
    from darkroom.feed f join darkroom.post_counters c using (post_id), darkroom.rating_averages a
    where f.post_id = target and c.likes + c.dislikes > 0
    on conflict (post_id) do update set
        published_at = excluded.published_at, expires_at = excluded.expires_at, position = excluded.position,
        tile = excluded.tile, wide_tile = excluded.wide_tile, place = excluded.place, category = excluded.category,
        event = excluded.event, likes = excluded.likes, dislikes = excluded.dislikes, wilson = excluded.wilson, weighted = excluded.weighted,
        magnitude = excluded.magnitude, hot = excluded.hot;
    if not found then
        delete from darkroom.ranks where post_id = target;
    end if;
end $$;

create function darkroom.keep_feed() returns trigger
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    x double precision;
    y double precision;
begin
    if tg_op <> 'INSERT' and old.state = 'published' then
        insert into darkroom.map_changes (leaf) select leaf from darkroom.feed where post_id = old.post_id;
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
            post_id, published_at, expires_at, position, tile, wide_tile, leaf, place, category, event, uploader)
        values (new.post_id, new.published_at, coalesce(new.expires_at, 'infinity'), point(x, y),
                darkroom.tile_at(x, y, 15), darkroom.tile_at(x, y, 11), darkroom.tile_at(x, y, 20),
                new.place_geonameid, new.category, new.event, new.uploader)
        on conflict (post_id) do update set
            published_at = excluded.published_at, expires_at = excluded.expires_at, position = excluded.position,
            tile = excluded.tile, wide_tile = excluded.wide_tile, leaf = excluded.leaf, place = excluded.place,
            category = excluded.category, event = excluded.event, uploader = excluded.uploader;
        if tg_op <> 'INSERT' then
            perform darkroom.rank_post(new.post_id);
        end if;
        insert into darkroom.map_changes (leaf) values (darkroom.tile_at(x, y, 20));
        perform darkroom.want_tally();
    end if;
    return null;
end $$;

alter table darkroom.posts add column expires_at timestamptz;
comment on column darkroom.posts.expires_at is 'When readers cease to see the post, be the expire job late or not; null for never.';

create trigger keep_feed_of_new after insert or delete on darkroom.posts
    for each row execute function darkroom.keep_feed();
create trigger keep_feed after update of
    state, latitude, longitude, place_geonameid, category, event, published_at, expires_at, uploader on darkroom.posts
    for each row execute function darkroom.keep_feed();

create function darkroom.tally_counters(at_most integer default 10000) returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    taken integer;
    voted bigint[];
begin
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
comment on function darkroom.tally_counters is
    'Adds up to at_most changes to the counters and ranks. Answers for how many posts and comments there were any.';

-- Of two at once, the second waits: each reads what the other writes.
create function darkroom.tally_map(at_most integer default 2000) returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    taken integer;
    dirty bigint[];
begin
    perform pg_advisory_xact_lock(hashtextextended('darkroom.tally_map', 0));
    with gone as (
        delete from darkroom.map_changes where change_id in (
            select change_id from darkroom.map_changes order by change_id limit at_most for update skip locked)
        returning leaf)
    select count(*), array_agg(distinct leaf) into taken, dirty from gone;
    if taken > 0 then
        perform darkroom.reckon_leaves(dirty);
        for above in reverse 19..2 loop
            select array_agg(distinct (((d >> 26) >> 1) << 26) | ((d & 67108863) >> 1)) into dirty from unnest(dirty) d;
            perform darkroom.reckon_tiles(above, dirty);
        end loop;
    end if;
    return taken;
end $$;
comment on function darkroom.tally_map is 'Reckons the tiles of up to at_most changes again. Answers how many changes there were.';

create function darkroom.reckon_leaves(leaves bigint[]) returns void
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
            where f.leaf = d) n),
    gone as (
        delete from darkroom.map_tiles m using now_there n
        where n.posts = 0 and m.level = 20 and m.x = (n.leaf >> 26)::integer and m.y = (n.leaf & 67108863)::integer)
    insert into darkroom.map_tiles as m (level, x, y, posts, sum_x, sum_y, best, best_hot)
    select 20, leaf >> 26, leaf & 67108863, posts, sum_x, sum_y, best, best_hot from now_there where posts > 0
    on conflict (level, x, y) do update set
        posts = excluded.posts, sum_x = excluded.sum_x, sum_y = excluded.sum_y, best = excluded.best,
        best_hot = excluded.best_hot;
end $$;

create function darkroom.reckon_tiles(of_level integer, tiles bigint[]) returns void
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
begin
    with now_there as (
        select t.x, t.y, n.*
        from (select (d >> 26)::integer as x, (d & 67108863)::integer as y from unnest(tiles) d) t
        cross join lateral (
            select sum(c.posts) as posts, sum(c.sum_x) as sum_x, sum(c.sum_y) as sum_y,
                   (array_agg(c.best order by c.best_hot desc, c.best desc))[1] as best, max(c.best_hot) as best_hot
            from (values (0, 0), (0, 1), (1, 0), (1, 1)) as q (x, y)
            join darkroom.map_tiles c
              on c.level = of_level + 1 and c.x = t.x * 2 + q.x and c.y = t.y * 2 + q.y) n),
    gone as (
        delete from darkroom.map_tiles m using now_there n
        where n.posts is null and m.level = of_level and m.x = n.x and m.y = n.y)
    insert into darkroom.map_tiles as m (level, x, y, posts, sum_x, sum_y, best, best_hot)
    select of_level, x, y, posts, sum_x, sum_y, best, best_hot from now_there where posts > 0
    on conflict (level, x, y) do update set
        posts = excluded.posts, sum_x = excluded.sum_x, sum_y = excluded.sum_y, best = excluded.best,
        best_hot = excluded.best_hot;
end $$;

-- The averages move slowly; ranks that were weighted by others are rewritten only where it shows.
create function darkroom.reckon_averages() returns boolean
language plpgsql set jit = off as $$
declare
    rating  double precision;
    votes   double precision;
begin
    select avg(r.likes::float8 / (r.likes + r.dislikes)), avg(r.likes + r.dislikes) into rating, votes
    from darkroom.ranks r;
    if rating is null then
        return false;
    end if;
    update darkroom.rating_averages a
    set average_rating = rating, average_votes = votes, reckoned_at = now()
    where abs(a.average_rating - rating) > 0.001 or abs(a.average_votes - votes) > 0.01 * greatest(a.average_votes, 1);
    return found;
end $$;
comment on function darkroom.reckon_averages is
    'Reckons the averages of all ranked posts anew. True where they moved by more than 0.001 of rating or 1 % of votes: then the weighted ratings are to be rewritten, by reweigh.';

create function darkroom.reweigh(from_post bigint, at_most integer default 1000) returns bigint
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    last_post bigint;
begin
    with batch as (
        select r.post_id from darkroom.ranks r where r.post_id > from_post order by r.post_id limit at_most
        for no key update),
    changed as (
        update darkroom.ranks r set weighted = darkroom.weighted_rating(r.likes, r.dislikes, a.average_rating, a.average_votes)
        from batch s, darkroom.rating_averages a
        where r.post_id = s.post_id
          and r.weighted is distinct from darkroom.weighted_rating(r.likes, r.dislikes, a.average_rating, a.average_votes))
    select max(s.post_id) into last_post from batch s;
    return last_post;
end $$;
comment on function darkroom.reweigh is
    'Rewrites the weighted ratings of up to at_most ranks beyond a post. Answers the last post, null at the end.';

-- The posts that are there already.
create function darkroom.rebuild_feeds() returns void
language plpgsql set jit = off as $$
begin
    lock table darkroom.posts in share row exclusive mode;
    delete from darkroom.feed;
    delete from darkroom.ranks;
    delete from darkroom.map_tiles;
    delete from darkroom.map_changes;
    insert into darkroom.feed (
        post_id, published_at, expires_at, position, tile, wide_tile, leaf, place, category, event, uploader)
    select p.post_id, p.published_at, coalesce(p.expires_at, 'infinity'), point(x, y), darkroom.tile_at(x, y, 15),
           darkroom.tile_at(x, y, 11), darkroom.tile_at(x, y, 20), p.place_geonameid, p.category, p.event, p.uploader
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
    select 20, f.leaf >> 26, f.leaf & 67108863, count(*), sum(f.position[0]), sum(f.position[1]),
           (array_agg(f.post_id order by h.hot desc, f.post_id desc))[1], max(h.hot)
    from darkroom.feed f left join darkroom.ranks r using (post_id)
    cross join lateral (select coalesce(r.hot, darkroom.age_magnitude(f.published_at)) as hot) h
    group by f.leaf;
    for above in reverse 19..2 loop
        insert into darkroom.map_tiles (level, x, y, posts, sum_x, sum_y, best, best_hot)
        select above, x >> 1, y >> 1, sum(posts), sum(sum_x), sum(sum_y),
               (array_agg(best order by best_hot desc, best desc))[1], max(best_hot)
        from darkroom.map_tiles where level = above + 1 group by x >> 1, y >> 1;
    end loop;
end $$;
comment on function darkroom.rebuild_feeds is
    'Makes what feeds are read from anew, from posts and counters, while publishing waits. For upgrades and repairs.';
select darkroom.rebuild_feeds();
