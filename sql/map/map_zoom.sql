create or replace function darkroom.map_zoom(zoom integer) returns integer
language sql immutable as $$
    select least(20, greatest(2, coalesce(zoom, 2)::bigint + 2))::integer
$$;
comment on function darkroom.map_zoom is
    'The level of the map''s tiles, 2 to 20, that are squares of 64 pixels at a zoom of web maps.';
