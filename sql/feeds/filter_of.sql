-- The arguments of the lists are plain, because the default of a domain takes twice as long to read in each call, and its
-- check is set up in each call even for a null. They are checked here, when any is given.
-- A row of nulls as a place is not null itself: it is refused, because a feed of all posts is not what its caller meant.
create or replace function darkroom.filter_of(
    in_category darkroom.word, in_activity darkroom.word, in_place darkroom.place_key, by_uploader darkroom.person,
    published_since darkroom.moment, published_until darkroom.moment, taken_since darkroom.moment, taken_until darkroom.moment,
    from_hour integer, to_hour integer, in_season darkroom.choice
) returns darkroom.post_filter
language plpgsql stable as $$
#variable_conflict use_variable
declare
    filter darkroom.post_filter;
    key    text;
    first  integer := coalesce(from_hour, 0);
    ends   integer := coalesce(to_hour, 24);
begin
    if in_category is not null then filter.category := darkroom.name_key(in_category); end if;
    if in_activity is not null then
        -- As activity_named does, whose settings take as long to set as the query.
        key := darkroom.name_key(in_activity);
        select darkroom.name_key(n.activity) into filter.activity from darkroom.activity_names n where n.key = key;
        filter.activity := coalesce(filter.activity, key);
    end if;
    if in_place is distinct from null then
        perform darkroom.checked_choice('the level of in_place', (in_place).level, '{country,division,city,place}')
        where (in_place).level is not null;
        if num_nulls((in_place).level, (in_place).geonameid) > 0 then
            raise exception using errcode = 'invalid_parameter_value', message = 'in_place lacks its level or its number',
                hint = 'Give country, division, city or place and a GeoNames number, such as (''city'', 658225), or leave it out.';
        end if;
        filter.country := case (in_place).level when 'country' then (in_place).geonameid end;
        filter.division := case (in_place).level when 'division' then (in_place).geonameid end;
        filter.city := case (in_place).level when 'city' then (in_place).geonameid end;
        filter.place := case (in_place).level when 'place' then (in_place).geonameid end;
    end if;
    if by_uploader is not null then filter.author_handle := darkroom.handle_of(by_uploader); end if;
    filter.published_since := published_since;
    filter.published_until := published_until;
    filter.taken_since := taken_since;
    filter.taken_until := taken_until;
    if from_hour is not null or to_hour is not null then
        if not (first between 0 and 24 and ends between 0 and 24) or first % 24 = ends % 24 and ends - first <> 24 then
            raise exception using errcode = 'invalid_parameter_value', message = 'from_hour and to_hour are not hours of a day',
                hint = 'Give two different hours, 0 to 24: 22 and 6 take 22:00 to 5:59. One alone begins or ends the day at midnight.';
        end if;
        filter.taken_hours := case when first < ends then (1 << ends) - (1 << first)
                                   else (1 << 24) - (1 << first) + (1 << ends) - 1 end;
    end if;
    if in_season is not null then
        filter.taken_season := darkroom.checked_choice('in_season', in_season, '{spring,summer,autumn,winter}');
    end if;
    return filter;
end $$;
comment on function darkroom.filter_of is
    'The filter that the arguments of a list stand for. Errors: 23514 for what the domains refuse; 22023 for a place without its level or number, for hours '
    'out of 0 to 24 or equal ones, or for what is no season.';
