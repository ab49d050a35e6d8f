create or replace function darkroom.few_at_most() returns integer
language sql immutable as $$ select 4000 $$;
comment on function darkroom.few_at_most is
    'So many posts are looked at one by one rather than looked for among their neighbours. Looking at them takes some'
    ' milliseconds; of a million posts, one in 250 is found among its neighbours as fast.';
