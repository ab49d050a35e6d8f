-- May be called by: api, reader
-- Example:
--   select post_id, likes, dislikes from darkroom.top_posts('wilson', in_activity => 'picnic', since => '2025-01-01')
create or replace function darkroom.top_posts(
    board       darkroom.board,
    at_most     bigint default 20,
    in_place    darkroom.place_key default null,
    in_activity darkroom.word default null,
    in_category darkroom.word default null,
    latitude    darkroom.latitude default null,
    longitude   darkroom.longitude default null,
    radius_m    darkroom.metres default null,
    since       darkroom.moment default null,
    until       darkroom.moment default null,
    after       darkroom.cursor default null
) returns setof darkroom.feed_post
language plpgsql stable rows 20 security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set enable_sort = off set jit = off set plan_cache_mode = force_generic_plan set extra_float_digits = 1 as $$
#variable_conflict use_variable
declare
    most_lists constant integer := 1100;
    wanted   integer := darkroom.page_size(at_most);
    from_key double precision := darkroom.cursor_key(board::text, after);
    from_id  bigint := darkroom.cursor_post(after);
    level    text := darkroom.checked_level(in_place);
    scope    text := case when in_activity is not null then 'activity' when level is not null then level
                          when in_category is not null then 'category' end;
    equals   text := case when in_activity is not null then ' and activity = $2' else '' end
                  || case when level is not null then format(' and %I = $1', level) else '' end
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
    if in_category is not null then in_category := coalesce(darkroom.clean_word(in_category), ''); end if;
    if in_activity is not null then in_activity := coalesce(darkroom.activity_named(in_activity), ''); end if;
    rest := equals
         || case when since is not null then ' and published_at >= $4' else '' end
         || case when until is not null then ' and published_at < $5' else '' end
         || case when from_key is not null then format(' and (%I, post_id) < ($6, $7)', board) else '' end
         || ' and expires_at > now()';
    if board is null or radius_m is null and (latitude is not null or longitude is not null) then
        raise exception using errcode = 'invalid_parameter_value',
            message = case when board is null then 'board is missing' else 'radius_m is missing' end,
            hint = 'Give likes, wilson, weighted or hot as the board, and radius_m with a coordinate.';
    end if;
    if radius_m is not null then
        select a.* into ids, keys, metres
        from darkroom.top_of_area(
            board, wanted, (in_place).geonameid, in_activity, in_category, latitude, longitude, radius_m, since, until, from_key,
            from_id, rest) a;
        return query select * from darkroom.show_posts(board::text, ids, keys, metres);
        return;
    end if;

    if not exists (select from darkroom.ranks) then
        return;
    end if;
    begins := greatest(since, (select f.published_at from darkroom.feed f order by f.published_at, f.post_id limit 1));
    ends := least(until, (select f.published_at from darkroom.feed f order by f.published_at desc, f.post_id desc limit 1)
                         + interval '1 microsecond');
    if begins is null or begins >= ends then
        return;
    end if;
    first := floor(extract(epoch from begins) / seconds);
    last := floor(extract(epoch from ends - interval '1 microsecond') / seconds);
    if scope is null and (since is null and until is null or last - first >= most_lists) then
        -- No post from before the end is hotter than this, so the scan skips the newer posts.
        if board = 'hot' and until is not null then
            rest := rest || format(
                ' and hot <= %s',
                darkroom.age_magnitude(ends)
                + coalesce((select darkroom.vote_magnitude(r.likes, 0) from darkroom.ranks r order by r.likes desc limit 1), 0) + 1e-6);
        end if;
        execute format(
            'select array_agg(post_id), array_agg(key) from (
                 select post_id, %1$I::float8 as key from darkroom.ranks where true %2$s
                 order by %1$I desc, post_id desc limit $8) r', board, rest)
        into ids, keys
        using (in_place).geonameid, in_activity, in_category, since, until, from_key, from_id, wanted;
        return query select * from darkroom.show_posts(board::text, ids, keys, null);
        return;
    end if;
    if ends - begins < make_interval(secs => seconds / 64) then
        edges := array[begins];
        edge_ends := array[ends];
        last := first - 1;
    else
        if to_timestamp((first + 1)::float8 * seconds) - begins < make_interval(secs => seconds / 64) then
            edges := edges || begins;
            edge_ends := edge_ends || to_timestamp((first + 1)::float8 * seconds);
            first := first + 1;
        end if;
        if ends - to_timestamp(last::float8 * seconds) < make_interval(secs => seconds / 64) and last > first then
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
        format(
            'select r.key, r.post_id
             from (select f.post_id from darkroom.feed f
                   where %1$s f.published_at >= e.begins and f.published_at < e.ends offset 0) f
             join lateral (select %2$I as key, post_id from darkroom.ranks o where o.post_id = f.post_id %3$s) r on true',
            scope || case scope when 'activity' then ' = $2 and' when level then ' = $1 and' else ' = $3 and' end, board, rest))
    into ids, keys
    using (in_place).geonameid, in_activity, in_category, since, until, from_key, from_id, wanted, first, last, edges, edge_ends;
    return query select * from darkroom.show_posts(board::text, ids, keys, null);
end $$;
comment on function darkroom.top_posts is
    'A rank board: the posts with votes by likes, by wilson (lower bound of the share of likes), by weighted (rating '
    'with the average added) or by hot (lead in likes and age), of all or of a country, division, city or place '
    '(in_place => (''city'', 658225)), activity, category, time (since, and before until) or the area of radius_m, 1 to '
    '100,000 metres, around a coordinate. at_most is 1 to 100 (values outside are clamped). after is the cursor of the last '
    'row of the previous page, with the same arguments. Errors: 22023 for a missing board, an in_place without its level '
    'or number, half a coordinate, a coordinate without a radius, a radius out of range or a cursor of another feed.';
