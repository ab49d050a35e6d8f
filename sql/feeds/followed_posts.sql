-- May be called by: api
-- Example:
--   select post_id, city_name, headline from darkroom.followed_posts('user-9', at_most => 20)
create or replace function darkroom.followed_posts(
    viewer darkroom.person, at_most bigint default 20, after darkroom.cursor default null,
    latitude darkroom.latitude default null, longitude darkroom.longitude default null)
returns setof darkroom.feed_post
language plpgsql stable rows 20 security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set enable_sort = off set enable_bitmapscan = off set jit = off set extra_float_digits = 1
set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_variable
declare
    whom    text := viewer;
    missing integer := darkroom.page_size(at_most);
    wanted  integer := coalesce(darkroom.first_size(missing, viewer), missing);
    shown   integer;
    before  timestamptz := to_timestamp(0) + darkroom.cursor_key('followed', after) * interval '1 microsecond';
    from_id bigint := darkroom.cursor_post(after);
    ids     bigint[];
    keys    double precision[];
    metres  double precision[];
begin
    loop
        select array_agg(n.post_id), array_agg(n.key) into ids, keys
        from (select distinct l.key, l.post_id
              from darkroom.follows f
              cross join lateral darkroom.filter_of(
                  f.category, null, case when f.level is not null then row(f.level, f.geonameid)::darkroom.place_key end,
                  null, null, null, null, null, null, null, null) as filter
              cross join lateral (
                  select unnest(p.ids), unnest(p.keys) from darkroom.newest_posts(filter, wanted, before, from_id) p where f.level is not null
                  union all
                  select unnest(p.ids), unnest(p.keys)
                  from darkroom.newest_within(filter, f.latitude, f.longitude, f.radius_m, wanted, before, from_id) p
                  where f.level is null) as l (post_id, key)
              where f.person = whom
              order by l.key desc, l.post_id desc limit wanted) n;
        metres := darkroom.distances_of(ids, latitude, longitude);
        return query select * from darkroom.show_posts('followed', ids, keys, metres, whom, missing);
        get diagnostics shown = row_count;
        missing := missing - shown;
        exit when missing <= 0 or coalesce(cardinality(ids), 0) < wanted;
        -- The viewer has blocked authors of this page.
        before := to_timestamp(0) + keys[wanted] * interval '1 microsecond';
        from_id := ids[wanted];
        wanted := darkroom.next_size(wanted, shown, missing);
    end loop;
end $$;
comment on function darkroom.followed_posts is
    'What is posted in the places and areas that a person follows, the newest first, each post once. distance_m is in metres from the coordinate, if '
    'one is given. at_most is 1 to 100 (values outside are clamped). after is the cursor of the last row of the previous page. '
    'Errors: 22023 for half a coordinate or a cursor of another list.';
