-- A cluster is a tile of the map that has posts. Its number stays the same, whatever is published or removed.
create or replace function darkroom.cluster_number(level integer, x integer, y integer) returns bigint
language sql immutable parallel safe as $$ select level::bigint << 52 | (x::bigint << 26) | y $$;
comment on function darkroom.cluster_number is 'The number of a cluster: its tile''s level, x and y.';
