create or replace function darkroom.plane_latitude(y double precision) returns double precision
language sql immutable parallel safe as $$ select degrees(atan(sinh(pi() * (1 - 2 * y / 67108864)))) $$;
comment on function darkroom.plane_latitude is 'The latitude in degrees of a y of the plane.';
