-- A large circle, or any circle around a pole, touches too many tiles to return all, so only tiles with posts are returned.
-- A circle beyond the square of the map touches the tiles at its edge, as tile_at puts posts there into them.
create or replace function darkroom.tiles_around(
    latitude double precision, longitude double precision, metres double precision, level integer,
    out tile bigint, out near_m double precision
) returns setof record
language plpgsql stable rows 60 as $$
#variable_conflict use_variable
declare
    reach  double precision := degrees(metres / 6371008.8) * 1.0000001;
    cosine double precision := cos(radians(least(90, abs(latitude) + reach)));
    size   double precision := 2.0 ^ (26 - level);
    world  integer := 2 ^ level;
    x      double precision := darkroom.plane_x(longitude);
    half   double precision;
    top    integer;
    bottom integer;
    first  integer;
    last   integer;
    j      integer;
    column_tile bigint;
    is_vast boolean;
    south  double precision;
    north  double precision;
    beside double precision;
    near_latitude double precision;
begin
    top := least(world - 1, greatest(0, floor(darkroom.plane_y(least(90, latitude + reach)) / size)));
    bottom := least(world - 1, greatest(0, floor(darkroom.plane_y(greatest(-90, latitude - reach)) / size)));
    half := case when cosine < 1e-6 then 67108864 else least(67108864, reach / cosine / 360 * 67108864) end;
    first := floor((x - half) / size);
    last := least(floor((x + half) / size), first + world - 1);
    is_vast := (last - first + 1)::bigint * (bottom - top + 1) > 1600;
    for i in first..last loop
        beside := darkroom.plane_longitude(least(greatest(x, i * size), (i + 1) * size));
        column_tile := ((i + world) % world)::bigint << 26;
        j := top;
        while j <= bottom loop
            if is_vast then
                if level = 11 then
                    select f.wide_tile & 67108863 into j from darkroom.feed f
                    where f.wide_tile between column_tile + j and column_tile + bottom order by f.wide_tile limit 1;
                elsif level = 15 then
                    select f.tile & 67108863 into j from darkroom.feed f
                    where f.tile between column_tile + j and column_tile + bottom order by f.tile limit 1;
                else
                    select f.leaf & 67108863 into j from darkroom.feed f
                    where f.leaf between column_tile + j and column_tile + bottom order by f.leaf limit 1;
                end if;
                exit when j is null;
            end if;
            south := case when j = world - 1 then -90 else darkroom.plane_latitude((j + 1) * size) end;
            north := case when j = 0 then 90 else darkroom.plane_latitude(j * size) end;
            -- A meridian to the side is nearest at this latitude, which lies closer to the pole.
            near_latitude := degrees(atan2(sind(latitude), cosd(latitude) * cosd(beside - longitude)));
            near_latitude := least(greatest(near_latitude, south), north);
            near_m := greatest(0, darkroom.distance_m(latitude, longitude, near_latitude, beside) - 0.01);
            if near_m <= metres then
                tile := column_tile | j;
                return next;
            end if;
            j := j + 1;
        end loop;
    end loop;
end $$;
comment on function darkroom.tiles_around is
    'The tiles of a zoom level, 11, 15 or 20, that come within some metres of a coordinate, each with the metres to '
    'its nearest point. If there would be more than 1,600, only those with posts.';
