-- May be called by: api
-- Example:
--   select darkroom.follow('user-9', latitude => 47.6062, longitude => -122.3321, radius_m => 2000, in_category => 'food')
create or replace function darkroom.follow(
    person darkroom.person, in_place darkroom.place_key default null, latitude darkroom.latitude default null,
    longitude darkroom.longitude default null, radius_m darkroom.metres default null, in_category darkroom.category default null
) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    at_most constant integer := (select s.follows_at_most from darkroom.settings s where s.is_only_row);
    -- Half a place is none, and not null either.
    is_place constant boolean := in_place is distinct from null;
    area    box;
    known   bigint;
begin
    if person is null then
        perform darkroom.missing('person');
    elsif is_place = (num_nonnulls(latitude, longitude, radius_m) > 0) then
        raise exception using errcode = 'invalid_parameter_value', message = 'a follow has a place or an area',
            hint = 'Give in_place, such as (''city'', 658225), or latitude, longitude and radius_m.';
    elsif is_place then
        perform darkroom.filter_of(null, null, in_place, null, null, null, null, null, null, null, null);
    else
        perform darkroom.check_coordinate(latitude, longitude);
        if not coalesce(radius_m between 1 and 100000, false) then
            raise exception using errcode = 'invalid_parameter_value', message = 'radius_m is out of range',
                hint = 'Give 1 to 100,000 metres.';
        end if;
        area := (darkroom.boxes_around(latitude, longitude, radius_m))[1];
        -- An index of boxes cannot order what is infinite. Beyond a pole there is nothing.
        area := box(point((area[0])[0], least((area[0])[1], 1e9)), point((area[1])[0], greatest((area[1])[1], -1e9)));
    end if;
    perform darkroom.take_lock('person', darkroom.lock_number(person));
    in_category := darkroom.clean_word(in_category);
    select f.follow_id into known from darkroom.follows f
    where f.person = person and (f.level, f.geonameid, f.latitude, f.longitude, f.radius_m, darkroom.name_key(f.category))
          is not distinct from ((in_place).level, (in_place).geonameid, latitude, longitude, radius_m, darkroom.name_key(in_category));
    if found then
        return known;
    end if;
    if (select count(*) from darkroom.follows f where f.person = person) >= at_most then
        raise exception using errcode = 'configuration_limit_exceeded',
            message = format('a person can follow %s places and areas', at_most), hint = 'End one of the follows first.';
    end if;
    insert into darkroom.follows as f (person, level, geonameid, latitude, longitude, radius_m, area, category)
    values (person, (in_place).level, (in_place).geonameid, latitude, longitude, radius_m, area, in_category)
    returning f.follow_id into known;
    return known;
end $$;
comment on function darkroom.follow is
    'From now on the person follows a place, in_place as in the lists, or an area: what is within radius_m, 1 to 100,000 metres, of a coordinate in '
    'degrees. in_category leaves only posts of it. followed_posts shows what is there, and post_followers tells whom a new post '
    'concerns. Returns the number for unfollow: the same one if the person follows it already. Errors: 22023 for neither or both, or for an incomplete '
    'place or area, 53400 (configuration_limit_exceeded) beyond settings.follows_at_most.';
