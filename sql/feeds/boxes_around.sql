create or replace function darkroom.boxes_around(latitude double precision, longitude double precision, metres double precision)
returns box[]
language plpgsql immutable as $$
declare
    reach  double precision := degrees(metres / 6371008.8) * 1.0000001 + 1e-9;
    top    double precision;
    bottom double precision;
    x      double precision := darkroom.plane_x(longitude);
    half   double precision;
    boxes  box[];
    world  constant double precision := 67108864;
begin
    top := case when latitude + reach >= 90 then '-infinity' else darkroom.plane_y(latitude + reach) end;
    bottom := case when latitude - reach <= -90 then 'infinity' else darkroom.plane_y(latitude - reach) end;
    if abs(latitude) + reach >= 90 then
        return array[box(point(-1, top), point(world + 1, bottom))];
    end if;
    -- The meridians that touch a circle on the sphere are this far from its centre.
    half := degrees(asin(least(1, sin(radians(reach)) / cos(radians(latitude))))) / 360 * world + 1e-3;
    if half * 2 >= world then
        return array[box(point(-1, top), point(world + 1, bottom))];
    end if;
    boxes := array[box(point(x - half, top), point(x + half, bottom))];
    if x - half < 0 then boxes := boxes || box(point(x - half + world, top), point(x + half + world, bottom)); end if;
    if x + half > world then boxes := boxes || box(point(x - half - world, top), point(x + half - world, bottom)); end if;
    return boxes;
end $$;
comment on function darkroom.boxes_around is
    'The boxes of the plane that together hold everything within some metres of a coordinate: two or more where they '
    'cross 180 degrees, a strip of the full width around a pole.';
