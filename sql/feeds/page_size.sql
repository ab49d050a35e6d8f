create or replace function darkroom.page_size(at_most bigint) returns integer
language sql immutable as $$
    select least(100, greatest(1, coalesce(at_most, 20)))::integer
$$;
comment on function darkroom.page_size is 'The number of rows of a page: 1 to 100, by default 20.';
