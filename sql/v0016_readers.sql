-- What readers call. Each feed answers rows of one kind, and pages by a cursor: give the last row's as after.

create type darkroom.picture as (
    name text, media_key text, format text, width integer, height integer, bytes bigint);

create type darkroom.feed_post as (
    post_id       bigint,
    published_at  timestamptz,
    uploader      text,
    display_name  text,
    headline      text,
    caption       text,
    link          text,
    category      text,
    event         text,
    taken_at      timestamptz,
    taken_at_local timestamp,
    time_zone     text,
    latitude      double precision,
    longitude     double precision,
    country_code  text,
    country_name  text,
    admin1_code   text,
    admin1_name   text,
    place         bigint,
    place_name    text,
    width         integer,
    height        integer,
    placeholder   bytea,
    pictures      darkroom.picture[],
    likes         integer,
    dislikes      integer,
    comments      integer,
    views         bigint,
    distance_m    double precision,
    score         double precision,
    cursor        text);

create function darkroom.bad_cursor(after text) returns void language plpgsql as $$
begin
    raise exception using errcode = 'invalid_parameter_value',
        message = format('“%s” is not a cursor of this feed', after),
        hint = 'Give the cursor of the last row of the page before, from the same feed with the same parameters.';
end $$;

-- A cursor is the key of the order and the post's number.
create function darkroom.cursor_key(after text) returns double precision language plpgsql stable as $$
begin
    if after is null then return null; end if;
    if after !~ '^-?[0-9.]+(e[-+]?[0-9]+)?~[0-9]{1,18}$' then perform darkroom.bad_cursor(after); end if;
    return split_part(after, '~', 1)::float8;
end $$;
create function darkroom.cursor_post(after text) returns bigint language sql stable as $$
    select split_part(after, '~', 2)::bigint
$$;
create function darkroom.page_size(wanted integer) returns integer language sql immutable as $$
    select least(100, greatest(1, coalesce(wanted, 20)))
$$;

create function darkroom.show_posts(ids bigint[], keys double precision[], distances double precision[])
returns setof darkroom.feed_post
language plpgsql stable rows 20 set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
    return query
    select p.post_id, p.published_at, p.uploader,
           (select w.display_name from darkroom.people w where w.person = p.uploader), p.headline, p.caption, p.link, p.category, p.event,
           p.taken_at, p.taken_at_local, p.time_zone, p.latitude, p.longitude, p.country_code, p.country_name,
           p.admin1_code, p.admin1_name, p.place_geonameid, p.place_name, p.width, p.height, p.placeholder,
           array(select row(r.name, r.media_key, r.format, r.width, r.height, r.bytes)::darkroom.picture
                 from darkroom.renditions r where r.post_id = p.post_id order by r.width desc, r.name),
           coalesce(c.likes, 0), coalesce(c.dislikes, 0), coalesce(c.comments, 0), coalesce(c.views, 0),
           i.distance_m, i.key, i.key::text || '~' || p.post_id
    from unnest(ids, keys, distances) with ordinality as i (post_id, key, distance_m, number)
    join darkroom.posts p using (post_id)
    left join darkroom.post_counters c using (post_id)
    where p.state = 'published' and (p.expires_at is null or p.expires_at > now())
    order by i.number;
end $$;

-- The squares of the plane that hold all within some metres, beyond the edge at 180 degrees too.
create function darkroom.boxes_around(latitude double precision, longitude double precision, metres double precision)
returns setof box
language plpgsql immutable rows 1 as $$
declare
    reach  double precision := degrees(metres / 6371008.8) * 1.0000001 + 1e-9;
    top    double precision;
    bottom double precision;
    x      double precision := darkroom.plane_x(longitude);
    half   double precision;
    world  constant double precision := 67108864;
begin
    top := case when latitude + reach >= 90 then '-infinity' else darkroom.plane_y(latitude + reach) end;
    bottom := case when latitude - reach <= -90 then 'infinity' else darkroom.plane_y(latitude - reach) end;
    if abs(latitude) + reach >= 90 then
        return next box(point(-1, top), point(world + 1, bottom));
        return;
    end if;
    -- The meridians that touch a circle on the sphere are this far from its centre.
    half := degrees(asin(least(1, sin(radians(reach)) / cos(radians(latitude))))) / 360 * world + 1e-3;
    if half * 2 >= world then
        return next box(point(-1, top), point(world + 1, bottom));
        return;
    end if;
    return next box(point(x - half, top), point(x + half, bottom));
    if x - half < 0 then return next box(point(x - half + world, top), point(x + half + world, bottom)); end if;
    if x + half > world then return next box(point(x - half - world, top), point(x + half - world, bottom)); end if;
end $$;

create function darkroom.point_distance_m(latitude double precision, longitude double precision, place point)
returns double precision
language sql immutable parallel safe as $$
    select darkroom.distance_m(latitude, longitude, darkroom.plane_latitude(place[1]),
                               darkroom.plane_longitude(place[0]))
$$;

create function darkroom.check_coordinate(latitude double precision, longitude double precision) returns void
language plpgsql immutable as $$
begin
    if latitude is null or longitude is null or not latitude between -90 and 90 or not longitude between -180 and 180
    then
        raise exception using errcode = 'invalid_parameter_value',
            message = format('%s, %s is not a coordinate', coalesce(latitude::text, 'null'), coalesce(longitude::text, 'null')),
            hint = 'Give degrees: latitude from -90 to 90 and longitude from -180 to 180.';
    end if;
end $$;

create function darkroom.nearest_posts(
    latitude    double precision,
    longitude   double precision,
    page        integer default 6,
    max_metres  double precision default null,
    in_category text default null,
    in_event    text default null,
    since       timestamptz default null,
    after       text default null
) returns setof darkroom.feed_post
language plpgsql stable rows 20 set enable_seqscan = off set jit = off
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
begin
    perform darkroom.check_coordinate(latitude, longitude);
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
comment on function darkroom.nearest_posts is
    'The posts nearest to a coordinate in degrees, nearest first. Exact: distance_m is along the sphere, in metres. max_metres is the farthest that counts; since is the earliest publishing time. page is 1 to 100 (others are taken as the nearest). after is the cursor of the last row of the page before, for the same arguments. Errors: 22023 for no coordinate or a cursor of another feed.';

create function darkroom.latest_posts(
    page integer default 100, in_category text default null, in_event text default null,
    in_place bigint default null, by_uploader text default null, after text default null
) returns setof darkroom.feed_post
language plpgsql stable rows 20 set enable_seqscan = off set enable_sort = off set jit = off as $$
#variable_conflict use_variable
declare
    wanted  integer := darkroom.page_size(page);
    before  timestamptz := coalesce(to_timestamp(0) + darkroom.cursor_key(after) * interval '1 microsecond', 'infinity');
    from_id bigint := coalesce(darkroom.cursor_post(after), 0);
    ids     bigint[];
    keys    double precision[];
    scopes  text[] := array[]::text[];
begin
    if by_uploader is not null then scopes := scopes || 'uploader = $4'::text; end if;
    if in_place is not null then scopes := scopes || 'place = $3'::text; end if;
    if in_event is not null then scopes := scopes || 'event = $2'::text; end if;
    if in_category is not null then scopes := scopes || 'category = $1'::text; end if;
    execute format(
        'select array_agg(post_id), array_agg(extract(epoch from published_at) * 1000000) from (
             select post_id, published_at from darkroom.feed
             where %s (published_at, post_id) < ($5, $6) and expires_at > now()
             order by %s published_at desc, post_id desc limit $7) f',
        (select coalesce(string_agg(s || ' and ', ''), '') from unnest(scopes) s),
        (select coalesce(string_agg(split_part(s, ' ', 1) || ', ', ''), '') from unnest(scopes) s))
    into ids, keys using in_category, in_event, in_place, by_uploader, before, from_id, wanted;
    return query select * from darkroom.show_posts(ids, keys, null);
end $$;
comment on function darkroom.latest_posts is
    'The newest posts first: of all, of a category, an event, a place (a GeoNames number: its album) or an uploader. page is 1 to 100 (others are taken as the nearest). after is the cursor of the last row of the page before, for the same arguments. Errors: 22023 for a cursor of another feed.';

create function darkroom.post_details(post_id bigint, viewer text default null)
returns table (post darkroom.feed_post, my_vote darkroom.vote)
language sql stable set enable_seqscan = off set jit = off as $$
    select row(s.post_id, s.published_at, s.uploader, s.display_name, s.headline, s.caption, s.link, s.category, s.event, s.taken_at,
               s.taken_at_local, s.time_zone, s.latitude, s.longitude, s.country_code, s.country_name, s.admin1_code,
               s.admin1_name, s.place, s.place_name, s.width, s.height, s.placeholder, s.pictures,
               s.likes + coalesce(w.likes, 0), s.dislikes + coalesce(w.dislikes, 0),
               s.comments + coalesce(w.comments, 0), s.views + coalesce(w.views, 0), null, null, null)::darkroom.feed_post,
           (select v.vote from darkroom.votes v where v.post_id = post_details.post_id and v.voter = viewer)
    from darkroom.show_posts(array[post_id], null, null) s
    left join lateral (
        select sum(c.likes) as likes, sum(c.dislikes) as dislikes, sum(c.comments) as comments, sum(c.views) as views
        from darkroom.counter_changes c where c.post_id = post_details.post_id and c.comment_id is null) w on true
$$;
comment on function darkroom.post_details is
    'One post that can be seen, with its counters to the moment and the viewer''s own vote. No row where no such post can be seen.';

create function darkroom.post_comments(post_id bigint, page integer default 20, after bigint default null)
returns table (comment_id bigint, author text, body text, likes integer, dislikes integer, created_at timestamptz)
language sql stable rows 20 set enable_seqscan = off set jit = off as $$
    select c.comment_id, c.author, c.body, c.likes, c.dislikes, c.created_at
    from darkroom.comments c
    where c.post_id = post_comments.post_id and c.deleted_at is null and (after is null or c.comment_id < after)
      and darkroom.is_visible(post_comments.post_id)
    order by c.comment_id desc limit darkroom.page_size(page)
$$;
comment on function darkroom.post_comments is
    'The comments of a post that can be seen, newest first. page is 1 to 100 (others are taken as the nearest). after is the number of the last comment of the page before.';

create function darkroom.uploader_statistics(uploader text)
returns table (posts bigint, likes bigint, dislikes bigint, share_of_likes double precision, comments bigint, views bigint)
language sql stable set enable_seqscan = off set jit = off as $$
    select count(*), coalesce(sum(c.likes), 0)::bigint, coalesce(sum(c.dislikes), 0)::bigint,
           sum(c.likes)::float8 / nullif(sum(c.likes + c.dislikes), 0),
           coalesce(sum(c.comments), 0)::bigint, coalesce(sum(c.views), 0)::bigint
    from darkroom.feed f left join darkroom.post_counters c using (post_id)
    where f.uploader = uploader_statistics.uploader and f.expires_at > now()
$$;
comment on function darkroom.uploader_statistics is
    'What became of the posts of one uploader that can be seen: how many, and their votes, comments and views. share_of_likes is 0 to 1, null without votes.';
