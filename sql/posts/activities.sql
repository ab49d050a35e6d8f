-- May be called by: api, reader
-- Example:
--   select activity, ends_at, distance_m, cursor from darkroom.activities(latitude => 47.6, longitude => -122.3, radius_m => 5000)
create or replace function darkroom.activities(
    latitude  darkroom.latitude default null,
    longitude darkroom.longitude default null,
    radius_m  darkroom.metres default null,
    at_most   bigint default 20,
    after     darkroom.cursor default null
) returns setof darkroom.known_activity
language plpgsql stable rows 20 security definer set search_path = pg_catalog, pg_temp set jit = off
set extra_float_digits = 1 as $$
#variable_conflict use_column
declare
    wanted  integer := darkroom.page_size($4);
    from_m  double precision := coalesce(darkroom.cursor_key('activities', $5), -1);
    from_id bigint := coalesce(darkroom.cursor_post($5), 0);
begin
    if ($1 is null) <> ($2 is null) or $3 is not null and $1 is null then
        raise exception using errcode = 'invalid_parameter_value', message = 'a search near a point needs both coordinates',
            hint = 'Give latitude and longitude, or neither and no radius_m.';
    end if;
    if $1 is not null then
        perform darkroom.check_coordinate($1, $2);
    end if;
    return query
    select f.activity, f.latitude, f.longitude, f.radius_m, f.begins_at, f.ending,
           array(select n.name from darkroom.activity_names n
                 where n.activity = f.activity and n.name <> f.activity order by n.name),
           case when f.is_changed or f.moved_to is not null then coalesce(f.posts_moved, 0) end,
           case when $1 is not null then f.key end, 'activities:' || f.key::text || '~' || f.activity_id
    from (
        select a.*, e.ending,
               case when $1 is null then 0 else greatest(0, darkroom.distance_m($1, $2, a.latitude, a.longitude) - a.radius_m) end
                   as key
        from darkroom.activities a
        cross join lateral (select case when a.is_changed then a.new_ends_at else a.ends_at end as ending) e
        where (e.ending is null or e.ending > now()) and ($1 is null or a.latitude is not null)) f
    where ($3 is null or f.key <= $3) and (f.key, -f.activity_id) > (from_m, -from_id)
    order by f.key, f.activity_id desc limit wanted;
end $$;
comment on function darkroom.activities is
    'The activities that are not over: with a coordinate in degrees, those that have an area, nearest first; else the latest '
    'created first. distance_m is from the coordinate to the area, 0 inside it; radius_m, in metres, leaves out those that are farther '
    'away. at_most is 1 to 100 (values outside are clamped). after is the cursor of the last row of the previous page, with '
    'the same arguments. Errors: 22023 for a coordinate out of range, half of one, or a cursor of another list.';
