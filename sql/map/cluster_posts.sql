-- May be called by: api, reader
-- Example:
--   select post_id from darkroom.cluster_posts(
--       (select cluster_id from darkroom.map_clusters(47, -123, 48, -122, 10) order by posts desc limit 1))
-- Reads a cluster with few posts whole. For a larger one, finds the lists of its tiles of level 20, 15 or 11 column by
-- column; the first post of each list tells which lists hold the newest posts.
create or replace function darkroom.cluster_posts(
    cluster_id      bigint,
    at_most         bigint default 20,
    in_category     text default null,
    in_activity     text default null,
    in_place        darkroom.place_key default null,
    by_uploader     text default null,
    published_since timestamptz default null,
    published_until timestamptz default null,
    taken_since     timestamptz default null,
    taken_until     timestamptz default null,
    from_hour       integer default null,
    to_hour         integer default null,
    in_season       text default null,
    after           text default null,
    viewer          darkroom.person default null,
    latitude        darkroom.latitude default null,
    longitude       darkroom.longitude default null
) returns setof darkroom.feed_post
language plpgsql stable rows 20 security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set enable_sort = off set jit = off set plan_cache_mode = force_generic_plan set extra_float_digits = 1 as $$
#variable_conflict use_variable
declare
    level   integer := cluster_id >> 40;
    x       integer := (cluster_id >> 20) & 1048575;
    y       integer := cluster_id & 1048575;
    missing integer := darkroom.page_size(at_most);
    wanted  integer := coalesce(darkroom.first_size(missing, viewer), missing);
    shown   integer;
    before  timestamptz := coalesce(to_timestamp(0) + darkroom.cursor_key('cluster', after) * interval '1 microsecond', 'infinity');
    from_id bigint := coalesce(darkroom.cursor_post(after), 0);
    number  bigint := x::bigint << 26 | y;
    further integer := case when level > 15 then 20 when level >= 11 then 15 else 11 end - level;
    filter  darkroom.post_filter;
    has_filter boolean := false;
    few     bigint[];
    whole   constant integer := darkroom.whole_at_most();
    is_whole boolean;
    ids     bigint[];
    keys    double precision[];
    metres  double precision[];
begin
    if num_nonnulls(in_category, in_activity, in_place, by_uploader, published_since, published_until, taken_since, taken_until,
                    from_hour, to_hour, in_season) > 0
    then
        filter := darkroom.filter_of(
            in_category, in_activity, in_place, by_uploader, published_since, published_until, taken_since, taken_until,
            from_hour, to_hour, in_season);
        has_filter := true;
    end if;
    if level is null or level not between 2 and 20 or greatest(x, y) >> level > 0 then
        raise exception using errcode = 'invalid_parameter_value', message = format('%s is not a cluster', cluster_id),
            hint = 'Give the cluster_id of a cluster of the map.';
    end if;
    loop
        with there as materialized (
            select f.post_id, f.published_at, f.expires_at, f.position from darkroom.feed f
            where f.position <@ darkroom.tile_box(level, x, y) and not f.is_stacked limit whole + 1)
        select array_agg(n.post_id), array_agg(extract(epoch from n.published_at) * 1000000),
               (select count(*) from there) <= whole
        into ids, keys, is_whole
        from (select f.post_id, f.published_at
              from (select f.post_id, f.published_at from there f
                    where (select count(*) from there) <= whole
                      and darkroom.tile_at(f.position[0], f.position[1], level) = number
                      and (f.published_at, f.post_id) < (before, from_id) and f.expires_at > now()
                      and (not has_filter or exists (
                              select from darkroom.feed o where o.post_id = f.post_id and darkroom.passes(filter, o) offset 0))
                    offset 0) f
              order by f.published_at desc, f.post_id desc limit wanted) n;
        if not is_whole and has_filter and few is null then
            few := darkroom.few_posts(filter);
        end if;
        if few is not null then
            execute format(
                'select array_agg(n.post_id), array_agg(extract(epoch from n.published_at) * 1000000)
                 from (select f.post_id, f.published_at
                       from (select o.* from unnest($2) as w (post_id) join darkroom.feed o on o.post_id = w.post_id offset 0) f
                       where darkroom.tile_at(f.position[0], f.position[1], $3) = $4
                         and (f.published_at, f.post_id) < ($5, $6) and f.expires_at > now() %s
                       order by f.published_at desc, f.post_id desc limit $7) n', darkroom.conditions_of(filter, 'f'))
            into ids, keys using filter, few, level, number, before, from_id, wanted;
        elsif not is_whole then
            execute format(
                'with recursive lists (list, last) as (
                     select n.list, c.number + (1 << $7) - 1
                     from (select (x::bigint << 26) + ($3 << $7) as number
                           from generate_series($2 << $7, (($2 + 1) << $7) - 1) x) c
                     cross join lateral (
                         select f.%1$I as list from darkroom.feed f
                         where f.%1$I >= c.number and f.%1$I < c.number + (1 << $7) order by f.%1$I limit 1) n
                     union all
                     select n.list, l.last from lists l cross join lateral (
                         select f.%1$I as list from darkroom.feed f
                         where f.%1$I > l.list and f.%1$I <= l.last order by f.%1$I limit 1) n),
                 heads as materialized (
                     select l.list, h.* from lists l cross join lateral (
                         select f.published_at, f.post_id from darkroom.feed f
                         where f.%1$I = l.list and (f.published_at, f.post_id) < ($4, $5) and f.expires_at > now() %2$s
                         order by f.%1$I, f.published_at desc, f.post_id desc limit 1) h
                     order by h.published_at desc, h.post_id desc limit $6)
                 select array_agg(n.post_id), array_agg(extract(epoch from n.published_at) * 1000000)
                 from (select f.post_id, f.published_at from heads cross join lateral (
                           select f.post_id, f.published_at from darkroom.feed f
                           where f.%1$I = heads.list and (f.published_at, f.post_id) < ($4, $5) and f.expires_at > now() %2$s
                             and f.published_at >= (
                                 select case when count(*) = $6 then min(h.published_at) else ''-infinity'' end from heads h)
                           order by f.%1$I, f.published_at desc, f.post_id desc limit $6) f
                       order by f.published_at desc, f.post_id desc limit $6) n',
                case when level > 15 then 'leaf' when level >= 11 then 'tile' else 'wide_tile' end, darkroom.conditions_of(filter, 'f'))
            into ids, keys using filter, x, y, before, from_id, wanted, further;
        end if;
        metres := darkroom.distances_of(ids, latitude, longitude);
        return query select * from darkroom.show_posts('cluster', ids, keys, metres, viewer, missing);
        get diagnostics shown = row_count;
        missing := missing - shown;
        exit when missing <= 0 or viewer is null or coalesce(cardinality(ids), 0) < wanted;
        -- The viewer has blocked authors of this page.
        before := to_timestamp(0) + keys[wanted] * interval '1 microsecond';
        from_id := ids[wanted];
        wanted := darkroom.next_size(wanted, shown, missing);
    end loop;
end $$;
comment on function darkroom.cluster_posts is
    'The posts of a cluster of the map, or those that the filter keeps, newest first: a billboard. To post to one, enqueue an upload at the coordinate '
    'that cluster_location returns. at_most is 1 to 100 (values outside are clamped). distance_m is from the coordinate, if one is given. after is the cursor of the last row '
    'of the previous page, with the same arguments. Errors: 22023 for a number that is not a cluster''s, an invalid filter or a '
    'cursor of another feed.';
