-- May be called by: api, reader
-- Example:
--   select post_id, headline, cursor from darkroom.latest_posts(20, in_category => 'food')
create or replace function darkroom.latest_posts(
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
set enable_seqscan = off set enable_sort = off set enable_bitmapscan = off set jit = off set extra_float_digits = 1
set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_variable
declare
    filter  darkroom.post_filter;
    found   record;
    missing integer := darkroom.page_size(at_most);
    wanted  integer := coalesce(darkroom.first_size(missing, viewer), missing);
    shown   integer;
    before  timestamptz := to_timestamp(0) + darkroom.cursor_key('latest', after) * interval '1 microsecond';
    from_id bigint := darkroom.cursor_post(after);
    metres  double precision[];
begin
    if num_nonnulls(in_category, in_activity, in_place, by_uploader, published_since, published_until, taken_since, taken_until,
                    from_hour, to_hour, in_season) > 0
    then
        filter := darkroom.filter_of(
            in_category, in_activity, in_place, by_uploader, published_since, published_until, taken_since, taken_until,
            from_hour, to_hour, in_season);
    end if;
    loop
        found := darkroom.newest_posts(filter, wanted, before, from_id);
        metres := darkroom.distances_of(found.ids, latitude, longitude);
        return query select * from darkroom.show_posts('latest', found.ids, found.keys, metres, viewer, missing);
        get diagnostics shown = row_count;
        missing := missing - shown;
        exit when missing <= 0 or viewer is null or coalesce(cardinality(found.ids), 0) < wanted;
        -- The viewer has blocked authors of this page.
        before := to_timestamp(0) + found.keys[wanted] * interval '1 microsecond';
        from_id := found.ids[wanted];
        wanted := darkroom.next_size(wanted, shown, missing);
    end loop;
end $$;
comment on function darkroom.latest_posts is
    'The newest posts first: of all, or of those that the filter keeps. So it is also the album of a country, division, city '
    'or place: in_place => (''city'', 658225) takes Helsinki with all its parts. at_most is 1 to 100 (values outside are '
    'clamped). distance_m is from the coordinate, if one is given. after is the cursor of the last row of the previous page, with the same arguments. Errors: 22023 for a '
    'cursor of another feed, or an invalid filter.';
