-- May be called by: api, reader
-- Example:
--   select post_id, headline, distance_m from darkroom.posts_by_id(array[3, 1], 47.6062, -122.3321)
create or replace function darkroom.posts_by_id(
    post_ids darkroom.post_numbers, latitude darkroom.latitude default null, longitude darkroom.longitude default null,
    viewer darkroom.person default null)
returns setof darkroom.feed_post
language plpgsql stable rows 20 security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off
set jit = off set extra_float_digits = 1 set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_variable
declare
    metres constant double precision[] := darkroom.distances_of(post_ids, latitude, longitude);
begin
    if cardinality(post_ids) > 100 then
        raise exception using errcode = 'invalid_parameter_value', message = 'these are more than 100 posts',
            hint = 'Give at most 100 numbers, and call again for the others.';
    end if;
    return query select * from darkroom.show_posts('posts', post_ids, null, metres, viewer);
end $$;
comment on function darkroom.posts_by_id is
    'The visible posts with these numbers, at most 100, in the order of the numbers, as feeds have them; score and cursor are null. '
    'distance_m is from the coordinate, if one is given. Errors: 22023 for more than 100 numbers, or half a coordinate.';
