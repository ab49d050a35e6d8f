create or replace function darkroom.distance_m(
    latitude_1 double precision, longitude_1 double precision, latitude_2 double precision, longitude_2 double precision
) returns double precision
language sql immutable parallel safe as $$
    select 2 * 6371008.8 * asin(least(1, sqrt(
        sin(radians(latitude_2 - latitude_1) / 2) ^ 2
        + cos(radians(latitude_1)) * cos(radians(latitude_2)) * sin(radians(longitude_2 - longitude_1) / 2) ^ 2)))
$$;
comment on function darkroom.distance_m is
    'Metres along a sphere with the Earth''s mean radius, 6,371,008.8 m (IUGG), by the haversine formula.';
