-- May be called by: api, reader
-- Example:
--   select post_id, published_at from darkroom.posts_within(47.6062, -122.3321, radius_m => 2000)
create or replace function darkroom.posts_within(
    latitude        darkroom.latitude,
    longitude       darkroom.longitude,
    radius_m        darkroom.metres default 100,
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
    viewer          darkroom.person default null
) returns setof darkroom.feed_post
language plpgsql stable rows 20 security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set enable_sort = off set jit = off set plan_cache_mode = force_generic_plan set extra_float_digits = 1 as $$
#variable_conflict use_variable
declare
    found   record;
    filter  darkroom.post_filter;
    missing integer := darkroom.page_size(at_most);
    wanted  integer := coalesce(darkroom.first_size(missing, viewer), missing);
    shown   integer;
    before  timestamptz := to_timestamp(0) + darkroom.cursor_key('within', after) * interval '1 microsecond';
    from_id bigint := darkroom.cursor_post(after);
begin
    if num_nonnulls(in_category, in_activity, in_place, by_uploader, published_since, published_until, taken_since, taken_until,
                    from_hour, to_hour, in_season) > 0
    then
        filter := darkroom.filter_of(
            in_category, in_activity, in_place, by_uploader, published_since, published_until, taken_since, taken_until,
            from_hour, to_hour, in_season);
    end if;
    loop
        found := darkroom.newest_within(filter, latitude, longitude, radius_m, wanted, before, from_id);
        -- Most small circles are empty, and the query of posts takes as long to start as to read some.
        exit when found.ids is null;
        return query select * from darkroom.show_posts('within', found.ids, found.keys, found.metres, viewer, missing);
        get diagnostics shown = row_count;
        missing := missing - shown;
        exit when missing <= 0 or viewer is null or coalesce(cardinality(found.ids), 0) < wanted;
        -- The viewer has blocked authors of this page.
        before := to_timestamp(0) + found.keys[wanted] * interval '1 microsecond';
        from_id := found.ids[wanted];
        wanted := darkroom.next_size(wanted, shown, missing);
    end loop;
end $$;
comment on function darkroom.posts_within is
    'The posts within radius_m, 1 to 1,000,000 metres along the sphere, newest first. at_most is 1 to 100 (values outside are clamped). after is the cursor of the last row of the previous page, '
    'with the same arguments. Errors: 22023 for an argument out of range, an invalid filter or a cursor of another feed.';
