create or replace function darkroom.whole_at_most() returns integer
language sql immutable as $$ select 500 $$;
comment on function darkroom.whole_at_most is
    'The most posts in the square around a circle that posts_within checks one by one; with more it reads the lists of '
    'tiles. Small circles use a fifth of it, boards a quarter.';
