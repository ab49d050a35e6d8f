create or replace function darkroom.plane_longitude(x double precision) returns double precision
language sql immutable parallel safe as $$ select x / 67108864 * 360 - 180 $$;
comment on function darkroom.plane_longitude is 'The longitude in degrees of an x of the plane.';
