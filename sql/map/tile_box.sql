create or replace function darkroom.tile_box(level integer, x integer, y integer) returns box
language sql immutable parallel safe as $$
    select box(point(case when x = 0 then '-infinity' else x * 2.0 ^ (26 - level) end,
                     case when y = 0 then '-infinity' else y * 2.0 ^ (26 - level) end),
               point(case when x + 1 = 1 << level then 'infinity' else (x + 1) * 2.0 ^ (26 - level) end,
                     case when y + 1 = 1 << level then 'infinity' else (y + 1) * 2.0 ^ (26 - level) end))
$$;
comment on function darkroom.tile_box is
    'The square of the plane of a tile, with its edges, and with what lies beyond the map in tiles at its edge: what '
    'darkroom.tile_at puts into it lies in here.';
