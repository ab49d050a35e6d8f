create or replace function darkroom.next_size(wanted integer, shown integer, missing integer) returns integer
language sql immutable as $$
    select case when 2 * shown < wanted then least(8 * wanted, 20000) else greatest(2 * missing, 10) end
$$;
comment on function darkroom.next_size is
    'How many posts a list reads next, if it read so many, showed some of them to the viewer, and still misses some: few where few are '
    'hidden, and ever more in a row of hidden ones.';
