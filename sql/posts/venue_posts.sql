-- May be called by: api, reader
-- Example:
--   select post_id, venue_name, headline from darkroom.venue_posts('4b058804f964a520ebe822e3', at_most => 20)
create or replace function darkroom.venue_posts(
    venue_id darkroom.word, at_most bigint default 20, after darkroom.cursor default null, viewer darkroom.person default null,
    latitude darkroom.latitude default null, longitude darkroom.longitude default null)
returns setof darkroom.feed_post
language plpgsql stable rows 20 security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off
set enable_bitmapscan = off set jit = off set extra_float_digits = 1 set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_variable
declare
    venue   text := darkroom.clean_word(venue_id);
    missing integer := darkroom.page_size(at_most);
    wanted  integer := coalesce(darkroom.first_size(missing, viewer), missing);
    shown   integer;
    before  timestamptz := coalesce(to_timestamp(0) + darkroom.cursor_key('venue', after) * interval '1 microsecond', 'infinity');
    from_id bigint := coalesce(darkroom.cursor_post(after), 0);
    ids     bigint[];
    keys    double precision[];
    metres  double precision[];
begin
    loop
        select array_agg(n.post_id), array_agg(extract(epoch from n.published_at) * 1000000) into ids, keys
        from (select p.post_id, p.published_at from darkroom.posts p
              where p.venue_id = venue and p.state = 'published' and (p.published_at, p.post_id) < (before, from_id)
              order by p.published_at desc, p.post_id desc limit wanted) n;
        metres := darkroom.distances_of(ids, latitude, longitude);
        return query select * from darkroom.show_posts('venue', ids, keys, metres, viewer, missing);
        get diagnostics shown = row_count;
        missing := missing - shown;
        exit when missing <= 0 or coalesce(cardinality(ids), 0) < wanted;
        -- Some have expired, or the viewer has blocked their authors.
        before := to_timestamp(0) + keys[wanted] * interval '1 microsecond';
        from_id := ids[wanted];
        wanted := darkroom.next_size(wanted, shown, missing);
    end loop;
end $$;
comment on function darkroom.venue_posts is
    'The album of a venue, by the app''s number of it: the newest posts first. distance_m is in metres from the coordinate, if one is given. at_most is 1 to '
    '100 (values outside are clamped). after is the cursor of the last row of the previous page, with the same arguments. Errors: '
    '22023 for half a coordinate or a cursor of another list.';
