-- May be called by: api, reader
-- Example:
--   select post_id, likes, dislikes from darkroom.top_posts('wilson', in_activity => 'picnic', published_since => '2025-01-01')
create or replace function darkroom.top_posts(
    board           darkroom.choice,
    at_most         bigint default 20,
    latitude        darkroom.latitude default null,
    longitude       darkroom.longitude default null,
    radius_m        darkroom.metres default null,
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
    viewer          darkroom.person default null
) returns setof darkroom.feed_post
language plpgsql stable rows 20 security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set enable_sort = off set max_parallel_workers_per_gather = 0 set jit = off set plan_cache_mode = force_generic_plan
set extra_float_digits = 1 as $$
#variable_conflict use_variable
declare
    -- The key of a post without votes is its time in microseconds less this, which is below that of any post with votes.
    behind   constant double precision := 9e15;
    missing  integer := darkroom.page_size(at_most);
    wanted   integer := coalesce(darkroom.first_size(missing, viewer), missing);
    shown    integer;
    from_key double precision := darkroom.cursor_key(
        darkroom.checked_choice('board', board, '{likes,wilson,weighted,hot}'), after);
    from_id  bigint := darkroom.cursor_post(after);
    filter   darkroom.post_filter;
    few_ids    bigint[];
    few_times  timestamptz[];
    found    record;
    ids      bigint[];
    keys     double precision[];
    metres   double precision[];
    reader_latitude  constant double precision := latitude;
    reader_longitude constant double precision := longitude;
begin
    if num_nonnulls(in_category, in_activity, in_place, by_uploader, published_since, published_until, taken_since, taken_until,
                    from_hour, to_hour, in_season) > 0
    then
        filter := darkroom.filter_of(
            in_category, in_activity, in_place, by_uploader, published_since, published_until, taken_since, taken_until,
            from_hour, to_hour, in_season);
    end if;
    -- Without a radius, the board is of all posts, and the coordinate is where the reader is.
    if radius_m is null then
        latitude := null;
        longitude := null;
    else
        perform darkroom.check_coordinate(latitude, longitude);
        if not radius_m between 1 and 1e5 then
            raise exception using errcode = 'invalid_parameter_value', message = 'radius_m is out of range',
                hint = 'Give 1 to 100,000 metres; for a larger area, use the board of a place or of all posts.';
        end if;
    end if;
    if not filter is null or radius_m <= 500 then
        select f.ids, f.times into few_ids, few_times
        from darkroom.few_for_board(filter, latitude, longitude, radius_m) f;
    end if;
    loop
        ids := '{}';
        keys := '{}';
        if few_ids is not null then
            found := darkroom.top_of_few(board, few_ids, few_times, wanted, behind, from_key, from_id);
            ids := found.ids;
            keys := found.keys;
        elsif from_key is null or from_key > behind / -10 then
            found := darkroom.best_voted(board, filter, wanted, latitude, longitude, radius_m, from_key, from_id);
            ids := coalesce(found.ids, ids);
            keys := coalesce(found.keys, keys);
            from_key := null;
            from_id := null;
        end if;
        if few_ids is null and cardinality(ids) < wanted then
            if radius_m is null then
                select n.ids, n.keys into found
                from darkroom.newest_posts(
                    filter, wanted - cardinality(ids), to_timestamp(0) + (from_key + behind) * interval '1 microsecond', from_id, true) n;
            else
                select n.ids, n.keys into found
                from darkroom.newest_within(
                    filter, latitude, longitude, radius_m, wanted - cardinality(ids),
                    to_timestamp(0) + (from_key + behind) * interval '1 microsecond', from_id, true) n;
            end if;
            ids := ids || found.ids;
            keys := keys || array(select k - behind from unnest(found.keys) with ordinality k (k, number) order by number);
        end if;
        metres := darkroom.distances_of(ids, reader_latitude, reader_longitude);
        return query select * from darkroom.show_posts(board, ids, keys, metres, viewer, missing);
        get diagnostics shown = row_count;
        missing := missing - shown;
        exit when missing <= 0 or viewer is null or coalesce(cardinality(ids), 0) < wanted;
        -- The viewer has blocked authors of this page.
        from_key := keys[wanted];
        from_id := ids[wanted];
        wanted := darkroom.next_size(wanted, shown, missing);
    end loop;
end $$;
comment on function darkroom.top_posts is
    'A rank board: the posts with votes by likes, by wilson (lower bound of the share of likes), by weighted (lead in '
    'likes, drawn to the average) or by hot (lead in likes and age), then those without votes, newest first, whose score is '
    'below 0. Of all posts, of those that the filter keeps, or of the area of radius_m, 1 to '
    '100,000 metres, around a coordinate; without a radius, distance_m alone is from the coordinate. at_most is 1 to 100 (values outside are clamped). after is the cursor of the last '
    'row of the previous page, with the same arguments. Errors: 22023 for an unknown or missing board, an invalid filter or coordinate, '
    'a radius out of range or a cursor of another feed.';
