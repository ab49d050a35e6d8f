-- A distance on the sphere is two dozen operations; of most posts, one comparison in the plane tells as much.
create or replace function darkroom.inner_circle(latitude double precision, longitude double precision, metres double precision)
returns circle
language sql immutable parallel safe as $$
    select circle(point(darkroom.plane_x(longitude), darkroom.plane_y(latitude)),
                  case when abs(latitude) > 89.9999 then 0
                       else metres * 0.999999999 * 67108864
                            / (2 * pi() * 6371008.8
                               * cos(radians(greatest(0, abs(latitude) - degrees(metres / 6371008.8))))) end)
$$;
comment on function darkroom.inner_circle is
    'A circle of the plane all of which is within some metres of a coordinate. The plane''s scale is 1 / '
    'cos(latitude); here it is that of the circle''s edge towards the equator, where a step in the plane is most '
    'metres. Without extent at the poles.';
