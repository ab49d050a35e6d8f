create or replace function darkroom.plane_of(name text, place point) returns point
language sql immutable parallel safe as $$
    select point(place[0] + (hashtextextended(name, 0) & 65535) * 134217728.0, place[1])
$$;
comment on function darkroom.plane_of is
    'A point in the copy of the plane that belongs to a name: 1 of 65,536 copies, which lie next to each other. The index '
    'of such points finds the nearest of a name without reading others.';
