-- A row of nulls is not null itself: it is refused, because a feed of all posts is not what its caller meant.
create or replace function darkroom.checked_level(place darkroom.place_key) returns text
language plpgsql stable as $$
begin
    if place is not distinct from null then
        return null;
    end if;
    if (place).level is null or (place).geonameid is null then
        raise exception using errcode = 'invalid_parameter_value', message = 'in_place lacks its level or its number',
            hint = 'Give country, division, city or place and a GeoNames number, such as (''city'', 658225), or leave it out.';
    end if;
    return (place).level;
end $$;
comment on function darkroom.checked_level is
    'The column of feed and ranks that a place''s number is compared with; null without a place. Errors: 22023 for a place '
    'without its level or number.';
