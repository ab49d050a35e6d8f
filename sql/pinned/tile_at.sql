-- A zoom level has 2^level by 2^level tiles. Points beyond the square of the map, at latitudes above 85.05 degrees,
-- belong to the tiles at its edge.
create or replace function darkroom.tile_at(x double precision, y double precision, level integer) returns bigint
language sql immutable parallel safe as $$
    select (least(67108863, greatest(0, floor(x)))::bigint >> (26 - level)) << 26
         | (least(67108863, greatest(0, floor(y)))::bigint >> (26 - level))
$$;
comment on function darkroom.tile_at is
    'The number of the tile of a zoom level, 0 to 26, that contains a point of the plane: x in the higher 26 bits, y '
    'in the lower.';
