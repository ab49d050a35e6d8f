-- May be called by: api
-- Example:
--   select post_id, my_vote, cursor from darkroom.voted_posts('voter', in_vote => 'like')
create or replace function darkroom.voted_posts(
    viewer darkroom.person, in_vote darkroom.choice default null, at_most bigint default 20, after darkroom.cursor default null,
    latitude darkroom.latitude default null, longitude darkroom.longitude default null)
returns setof darkroom.feed_post
language plpgsql stable rows 20 security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off
set enable_bitmapscan = off set jit = off set extra_float_digits = 1 set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_variable
declare
    whom    text := viewer;
    missing integer := darkroom.page_size(at_most);
    wanted  integer := coalesce(darkroom.first_size(missing, viewer), missing);
    shown   integer;
    before  timestamptz := coalesce(
        to_timestamp(0) + darkroom.cursor_key('voted', after) * interval '1 microsecond', 'infinity');
    from_id bigint := coalesce(darkroom.cursor_post(after), 0);
    ids     bigint[];
    keys    double precision[];
    metres  double precision[];
begin
    if in_vote is not null then in_vote := darkroom.checked_choice('in_vote', in_vote, '{like,dislike}'); end if;
    loop
        select array_agg(n.post_id), array_agg(extract(epoch from n.changed_at) * 1000000) into ids, keys
        from (select v.post_id, v.changed_at from darkroom.votes v
              where v.voter = whom and v.vote is not null and (in_vote is null or v.vote::text = in_vote)
                and (v.changed_at, v.post_id) < (before, from_id)
              order by v.changed_at desc, v.post_id desc limit wanted) n;
        metres := darkroom.distances_of(ids, latitude, longitude);
        return query select * from darkroom.show_posts('voted', ids, keys, metres, whom, missing);
        get diagnostics shown = row_count;
        missing := missing - shown;
        exit when missing <= 0 or coalesce(cardinality(ids), 0) < wanted;
        -- Some are hidden or gone, or the viewer has blocked their authors.
        before := to_timestamp(0) + keys[wanted] * interval '1 microsecond';
        from_id := ids[wanted];
        wanted := darkroom.next_size(wanted, shown, missing);
    end loop;
end $$;
comment on function darkroom.voted_posts is
    'The visible posts on which a person has a vote now, the latest vote first; in_vote leaves only like or dislike. at_most is 1 to 100 '
    '(values outside are clamped). distance_m is in metres from the coordinate, if one is given. after is the cursor of the last row of the previous page, with the same arguments. Errors: 22023 for half a coordinate, for '
    'another vote or a cursor of another list.';
