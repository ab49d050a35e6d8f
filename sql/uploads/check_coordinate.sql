create or replace function darkroom.check_coordinate(latitude double precision, longitude double precision) returns void
language plpgsql immutable as $$
begin
    if latitude is null or longitude is null or not latitude between -90 and 90 or not longitude between -180 and 180
    then
        raise exception using errcode = 'invalid_parameter_value', message = 'latitude and longitude are not a coordinate',
            hint = 'Give degrees: latitude from -90 to 90 and longitude from -180 to 180.';
    end if;
end $$;
comment on function darkroom.check_coordinate is 'Raises 22023 for anything but a coordinate in degrees.';
