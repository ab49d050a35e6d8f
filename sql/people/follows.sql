-- May be called by: api
-- Example:
--   select follow_id, level, geonameid, latitude, longitude, radius_m, category from darkroom.follows('user-9')
create or replace function darkroom.follows(person darkroom.person, at_most bigint default 20, after darkroom.cursor default null)
returns table (follow_id bigint, level text, geonameid bigint, latitude double precision, longitude double precision,
               radius_m double precision, category text, followed_at timestamptz, cursor text)
language plpgsql stable rows 20 security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off
set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
    whom   text := $1;
    wanted integer := darkroom.page_size($2);
    before bigint := coalesce(darkroom.cursor_key('follows', $3)::bigint, 9223372036854775807);
begin
    return query
    select f.follow_id, f.level, f.geonameid, f.latitude, f.longitude,
           f.radius_m, f.category, f.followed_at, 'follows:' || f.follow_id || '~0'
    from darkroom.follows f where f.person = whom and f.follow_id < before
    order by f.follow_id desc limit wanted;
end $$;
comment on function darkroom.follows is
    'The places and areas that a person follows, the latest first: level and geonameid are those of in_place; coordinates are degrees, radius_m metres. at_most is 1 to 100 (values outside are '
    'clamped). after is the cursor of the last row of the previous page. Errors: 22023 for a cursor of another list.';
