-- May be called by: api, reader
-- Example:
--   select post_id, published_at from darkroom.posts_within(47.6062, -122.3321, radius_m => 2000)
create or replace function darkroom.posts_within(
    latitude    darkroom.latitude,
    longitude   darkroom.longitude,
    radius_m    darkroom.metres default 100,
    at_most     bigint default 20,
    in_category darkroom.word default null,
    in_activity darkroom.word default null,
    since       darkroom.moment default null,
    after       darkroom.cursor default null
) returns setof darkroom.feed_post
language plpgsql stable rows 20 security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set enable_sort = off set jit = off set plan_cache_mode = force_generic_plan set extra_float_digits = 1 as $$
#variable_conflict use_variable
declare
    wanted  integer := darkroom.page_size(at_most);
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
    if in_category is not null then in_category := coalesce(darkroom.clean_word(in_category), ''); end if;
    if in_activity is not null then in_activity := coalesce(darkroom.activity_named(in_activity), ''); end if;
    perform darkroom.check_coordinate(latitude, longitude);
    if not coalesce(radius_m between 1 and 1e6, false) then
        raise exception using errcode = 'invalid_parameter_value', message = 'radius_m is out of range',
            hint = 'Give 1 to 1,000,000 metres.';
    end if;
    boxes := array(select b from darkroom.boxes_around(latitude, longitude, radius_m) b);
    level := case when radius_m <= 4 * 38 * cos(radians(abs(latitude))) then 20
                  else darkroom.tile_level(latitude, radius_m) end;
    if level = 20 then
        whole := whole / 5;
        -- If the tile in the middle has this many posts, the circle has too many to be read whole.
        perform from darkroom.feed f
        where f.leaf = darkroom.tile_at(darkroom.plane_x(longitude), darkroom.plane_y(latitude), 20)
        offset whole * 2 / 5 limit 1;
        is_crowded := found;
    end if;
    if is_crowded then
        select n.* into ids, keys, metres
        from darkroom.newest_close_by(
            latitude, longitude, radius_m, wanted, before, from_id, earliest, in_category, in_activity, boxes) n;
        return query select * from darkroom.show_posts('within', ids, keys, metres);
        return;
    end if;
    inner_circle := darkroom.inner_circle(latitude, longitude, radius_m);
    with near as materialized (
        select f.post_id, f.published_at, f.expires_at, f.position, f.category, f.activity
        from unnest(boxes) b
        join darkroom.feed f on f.position <@ b and not f.is_stacked limit whole + 1)
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
                  and (in_activity is null or f.activity = in_activity) and f.published_at >= earliest
                offset 0) f
          order by f.published_at desc, f.post_id desc limit wanted) n;
    if there > whole and level < 20 and (in_category is not null or in_activity is not null) then
        few := darkroom.few_posts(in_category, in_activity, since);
    end if;
    if few is not null then
        select array_agg(n.post_id), array_agg(extract(epoch from n.published_at) * 1000000), array_agg(n.m)
        into ids, keys, metres
        from (select f.post_id, f.published_at, m
              from unnest(few) as w (post_id) join darkroom.feed f using (post_id)
              cross join lateral (select darkroom.point_distance_m(latitude, longitude, f.position) as m) d
              where m <= radius_m and f.expires_at > now() and (f.published_at, f.post_id) < (before, from_id)
                and f.published_at >= earliest
                and (in_category is null or f.category = in_category) and (in_activity is null or f.activity = in_activity)
              order by f.published_at desc, f.post_id desc limit wanted) n;
    elsif there > whole and level = 20 then
        select n.* into ids, keys, metres
        from darkroom.newest_close_by(
            latitude, longitude, radius_m, wanted, before, from_id, earliest, in_category, in_activity, boxes) n;
    elsif there > whole and level = 15 then
        select n.* into ids, keys, metres
        from darkroom.newest_in_tile(
            latitude, longitude, radius_m, wanted, before, from_id, earliest, in_category, in_activity, boxes) n;
    elsif there > whole then
        select n.* into ids, keys, metres
        from darkroom.newest_in_wide_tile(
            latitude, longitude, radius_m, wanted, before, from_id, earliest, in_category, in_activity, boxes) n;
    end if;
    return query select * from darkroom.show_posts('within', ids, keys, metres);
end $$;
comment on function darkroom.posts_within is
    'The posts within radius_m, 1 to 1,000,000 metres along the sphere, newest first. since is the earliest publishing '
    'time. at_most is 1 to 100 (values outside are clamped). after is the cursor of the last row of the previous page, '
    'with the same arguments. Errors: 22023 for an argument out of range or a cursor of another feed.';
