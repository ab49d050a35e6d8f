create or replace function darkroom.map_zoom(zoom double precision) returns integer
language plpgsql immutable as $$
begin
    if zoom is null or zoom in ('NaN', 'Infinity', '-Infinity') then
        raise exception using errcode = 'invalid_parameter_value', message = 'zoom is not a number',
            hint = 'Give 0 to 18; fractions are rounded down.';
    end if;
    return least(20, greatest(2, floor(zoom) + 2));
end $$;
comment on function darkroom.map_zoom is
    'The level of the map''s tiles, 2 to 20, that are squares of 64 pixels at a zoom of web maps. Errors: 22023 for a zoom '
    'that is missing or not finite.';
