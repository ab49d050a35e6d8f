create or replace function darkroom.tile_box(level integer, x integer, y integer) returns box
language sql immutable parallel safe as $$
    select box(point(case when x = 0 then '-infinity' else x * 2.0 ^ (26 - level) end,
                     case when y = 0 then '-infinity' else y * 2.0 ^ (26 - level) end),
               point(case when x + 1 = 1 << level then 'infinity' else (x + 1) * 2.0 ^ (26 - level) end,
                     case when y + 1 = 1 << level then 'infinity' else (y + 1) * 2.0 ^ (26 - level) end))
$$;
comment on function darkroom.tile_box is
    'The square of the plane that a tile covers, edges included. For a tile at the map''s edge it includes what lies '
    'beyond the map. Every point that darkroom.tile_at assigns to the tile lies in it.';
