create or replace function darkroom.page_size(wanted integer) returns integer
language sql immutable as $$
    select least(100, greatest(1, coalesce(wanted, 20)))
$$;
comment on function darkroom.page_size is 'The number of rows of a page: 1 to 100, by default 20.';
