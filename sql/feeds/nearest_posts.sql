-- May be called by: api, reader
-- Example:
--   select post_id, distance_m from darkroom.nearest_posts(47.6062, -122.3321, at_most => 6, radius_m => 20000)
create or replace function darkroom.nearest_posts(
    latitude        darkroom.latitude,
    longitude       darkroom.longitude,
    at_most         bigint default 20,
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
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan set extra_float_digits = 1 as $$
#variable_conflict use_variable
declare
    missing integer := darkroom.page_size(at_most);
    wanted  integer := coalesce(darkroom.first_size(missing, viewer), missing);
    shown   integer;
    from_m  double precision := darkroom.cursor_key('nearest', after);
    from_id bigint := darkroom.cursor_post(after);
    filter  darkroom.post_filter;
    found   record;
begin
    if num_nonnulls(in_category, in_activity, in_place, by_uploader, published_since, published_until, taken_since, taken_until,
                    from_hour, to_hour, in_season) > 0
    then
        filter := darkroom.filter_of(
            in_category, in_activity, in_place, by_uploader, published_since, published_until, taken_since, taken_until,
            from_hour, to_hour, in_season);
    end if;
    if num_nulls(latitude, longitude) > 0 then perform darkroom.check_coordinate(latitude, longitude); end if;
    loop
        found := darkroom.nearest_page(
            filter, latitude, longitude, wanted, least(radius_m, 20100000), from_m, from_id);
        return query select * from darkroom.show_posts('nearest', found.ids, found.metres, found.metres, viewer, missing);
        get diagnostics shown = row_count;
        missing := missing - shown;
        exit when missing <= 0 or viewer is null or coalesce(cardinality(found.ids), 0) < wanted;
        -- The viewer has blocked authors of this page.
        from_m := found.metres[wanted];
        from_id := found.ids[wanted];
        wanted := darkroom.next_size(wanted, shown, missing);
    end loop;
end $$;
comment on function darkroom.nearest_posts is
    'The posts nearest to a coordinate in degrees, nearest first, and the latest number first at equal distances. Exact: distance_m is along the sphere, in metres. '
    'radius_m is the greatest distance in metres; at_most is 1 to 100 (values outside are '
    'clamped). after is the cursor of the last row of the previous page, with the same arguments. Errors: 22023 for an '
    'invalid coordinate or filter, or a cursor of another feed.';
