create or replace function darkroom.newest_within(
    filter darkroom.post_filter, latitude double precision, longitude double precision, radius_m double precision,
    wanted integer, before timestamptz, from_id bigint, without_votes boolean default false,
    out ids bigint[], out keys double precision[], out metres double precision[]
)
language plpgsql stable as $$
#variable_conflict use_variable
declare
    in_category text;
    in_activity text;
    earliest timestamptz := '-infinity';
    further darkroom.post_filter;
    has_further boolean := false;
    nearby record;
    level   integer;
    whole   integer := darkroom.whole_at_most();
    inner_circle circle;
    boxes   box[];
    few     bigint[];
    there   integer;
    tiles   bigint[];
    inner_tiles bigint[];
begin
    before := coalesce(before, 'infinity');
    from_id := coalesce(from_id, 0);
    if not filter is null then
        in_category := filter.category;
        in_activity := filter.activity;
        earliest := coalesce(filter.published_since, '-infinity');
        -- The lists are read from the newest post, so an end is a cursor.
        if filter.published_until <= before then
            before := filter.published_until;
            from_id := 0;
        end if;
        filter.published_until := null;
        further := darkroom.further_filter(filter);
        has_further := not further is null;
    end if;
    if num_nulls(latitude, longitude) > 0 then perform darkroom.check_coordinate(latitude, longitude); end if;
    if not coalesce(radius_m between 1 and 1e6, false) then
        raise exception using errcode = 'invalid_parameter_value', message = 'radius_m is out of range',
            hint = 'Give 1 to 1,000,000 metres.';
    end if;
    boxes := darkroom.boxes_around(latitude, longitude, radius_m);
    level := case when radius_m <= 4 * 38 * cos(radians(abs(latitude))) then 20
                  else darkroom.tile_level(latitude, radius_m) end;
    if level = 20 then
        whole := whole / 5;
        -- If the tile in the middle has this many posts, the circle has too many to be read whole.
        perform from darkroom.feed f
        where f.leaf = darkroom.tile_at(darkroom.plane_x(longitude), darkroom.plane_y(latitude), 20)
        offset whole * 2 / 5 limit 1;
        if found then there := whole + 1; end if;
    end if;
    if there is null then
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
                      and (not has_further or exists (
                              select from darkroom.feed o where o.post_id = f.post_id and darkroom.passes(further, o) offset 0))
                      and (not without_votes or not exists (select from darkroom.ranks r where r.post_id = f.post_id offset 0))
                    offset 0) f
              order by f.published_at desc, f.post_id desc limit wanted) n;
    end if;
    if there > whole and level < 20 and (in_category is not null or in_activity is not null or has_further) then
        few := darkroom.few_posts(filter);
    end if;
    -- Where a country has few posts, the lists of tiles are long without one of them.
    if few is null and there > whole and level = 11 and filter.country is not null then
        few := array(select f.post_id from darkroom.tiles_around(latitude, longitude, radius_m, 11) t
                     join darkroom.feed f on f.country = filter.country and f.wide_tile = t.tile
                     limit darkroom.few_at_most() + 1);
        if cardinality(few) > darkroom.few_at_most() then few := null; end if;
    end if;
    if few is not null then
        execute format(
            'select array_agg(n.post_id), array_agg(extract(epoch from n.published_at) * 1000000), array_agg(n.m)
             from (select f.post_id, f.published_at, m
                   from (select o.* from unnest($2) as w (post_id) join darkroom.feed o on o.post_id = w.post_id offset 0) f
                   cross join lateral (select darkroom.point_distance_m($3, $4, f.position) as m) d
                   where m <= $5 and f.expires_at > now() and (f.published_at, f.post_id) < ($6, $7) %s
                     and (not $8 or not exists (select from darkroom.ranks r where r.post_id = f.post_id offset 0))
                   order by f.published_at desc, f.post_id desc limit $9) n', darkroom.conditions_of(filter, 'f'))
        into ids, keys, metres
        using filter, few, latitude, longitude, radius_m, before, from_id, without_votes, wanted;
    elsif there > whole then
        if level = 20 then
            -- So few tiles need no distances. A second box is the first one repeated beyond 180 degrees.
            tiles := array(
                select ((x + 1048576) % 1048576)::bigint << 26 | y
                from generate_series(floor(((boxes[1])[1])[0] / 64)::integer, floor(((boxes[1])[0])[0] / 64)::integer) x,
                     generate_series(least(1048575, greatest(0, floor(((boxes[1])[1])[1] / 64)))::integer,
                                     least(1048575, greatest(0, floor(((boxes[1])[0])[1] / 64)))::integer) y);
            nearby := darkroom.newest_in_leaf(
                tiles, tiles, latitude, longitude, radius_m, wanted, before, from_id, earliest, in_category, in_activity,
                boxes, further, without_votes);
        else
            select array_agg(t.tile order by t.near_m),
                   array_agg(t.tile order by t.near_m) filter (
                       where t.near_m + 57000000 * cos(radians(abs(latitude))) / 2 ^ level < radius_m)
            into tiles, inner_tiles
            from darkroom.tiles_around(latitude, longitude, radius_m, level) t;
            inner_tiles := coalesce(inner_tiles, tiles[1:1]);
            if level = 15 then
                nearby := darkroom.newest_in_tile(
                    tiles, inner_tiles, latitude, longitude, radius_m, wanted, before, from_id, earliest, in_category,
                    in_activity, boxes, further, without_votes);
            else
                nearby := darkroom.newest_in_wide_tile(
                    tiles, inner_tiles, latitude, longitude, radius_m, wanted, before, from_id, earliest, in_category,
                    in_activity, boxes, further, without_votes);
            end if;
        end if;
        ids := nearby.ids;
        keys := nearby.keys;
        metres := nearby.metres;
    end if;
end $$;
comment on function darkroom.newest_within is
    'The newest posts within a radius in metres that a filter keeps and that come after a cursor, for a page; without_votes '
    'leaves those that no board ranks. The planner settings are those of posts_within. Errors: 22023 for an invalid '
    'coordinate or a radius out of range.';
