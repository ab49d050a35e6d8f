create or replace function darkroom.page_size(wanted integer) returns integer
language sql immutable as $$
    select least(100, greatest(1, coalesce(wanted, 20)))
$$;
comment on function darkroom.page_size is 'A page''s rows: 1 to 100, 20 where none is asked for.';
