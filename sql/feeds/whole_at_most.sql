create or replace function darkroom.whole_at_most() returns integer
language sql immutable as $$ select 500 $$;
comment on function darkroom.whole_at_most is
    'How many posts in the square around a circle posts_within looks at one by one; with more it reads the lists of '
    'tiles. Of small circles a fifth of it, for boards a quarter.';
