create or replace function darkroom.plane_y(latitude double precision) returns double precision
language sql immutable parallel safe as $$
    select (1 - asinh(tan(radians(least(89.999999, greatest(-89.999999, latitude))))) / pi()) / 2 * 67108864
$$;
comment on function darkroom.plane_y is
    'The y of a latitude in degrees in the Web Mercator plane: 0 to 67,108,864 (2^26) from 85.05 degrees north to '
    '85.05 degrees south, outside that range beyond them. The poles count as 89.999999 degrees.';
