-- A distance on the sphere takes two dozen operations; for most posts one comparison in the plane is enough.
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
    'A circle of the plane that lies entirely within some metres of a coordinate. The plane''s scale is 1 / '
    'cos(latitude); this uses the scale at the circle''s edge towards the equator, where a step in the plane covers '
    'the most metres. The radius is 0 at the poles.';
