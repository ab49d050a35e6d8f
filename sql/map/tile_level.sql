create or replace function darkroom.tile_level(latitude double precision, metres double precision) returns integer
language sql immutable as $$
    select case when metres <= 10 * 1223 * cos(radians(abs(latitude))) then 15 else 11 end
$$;
comment on function darkroom.tile_level is
    'The zoom level, 15 or 11, whose tiles to search for posts within some metres at a latitude: the finer one where '
    'that takes few tiles.';
