create or replace function darkroom.map_at_most() returns integer
language sql immutable as $$ select 50000 $$;
comment on function darkroom.map_at_most is
    'The most posts that a map with a filter looks at, which takes about a tenth of a second.';
