create or replace function darkroom.plane_x(longitude double precision) returns double precision
language sql immutable parallel safe as $$ select (longitude + 180) / 360 * 67108864 $$;
comment on function darkroom.plane_x is
    'The x of a longitude in degrees in the Web Mercator plane: 0 to 67,108,864 (2^26) from west to east.';
