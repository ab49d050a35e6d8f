create or replace function darkroom.few_at_most() returns integer
language sql immutable as $$ select 4000 $$;
comment on function darkroom.few_at_most is
    'The most posts that are checked one by one instead of searched for among their neighbours. Checking them takes '
    'some milliseconds; with a million posts, the search is as fast once one post in 250 matches.';
