create or replace function darkroom.point_distance_m(latitude double precision, longitude double precision, place point)
returns double precision
language sql immutable parallel safe as $$
    select darkroom.distance_m(latitude, longitude, darkroom.plane_latitude(place[1]),
                               darkroom.plane_longitude(place[0]))
$$;
comment on function darkroom.point_distance_m is
    'Metres along the sphere from a coordinate in degrees to a point of the plane.';
