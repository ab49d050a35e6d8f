-- A cluster is a tile of the map that has posts. Its number stays the same, whatever is published or removed. It is below
-- 2 to the power of 45, since JSON readers may round numbers above 2 to the power of 53.
create or replace function darkroom.cluster_number(level integer, x integer, y integer) returns bigint
language sql immutable parallel safe as $$ select level::bigint << 40 | (x::bigint << 20) | y $$;
comment on function darkroom.cluster_number is 'The number of a cluster: its tile''s level, x and y.';
