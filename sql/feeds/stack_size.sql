create or replace function darkroom.stack_size() returns integer
language sql immutable as $$ select 600 $$;
comment on function darkroom.stack_size is
    'The most posts at exactly one position that are in the index of positions. It is more than whole_at_most, so a '
    'circle or cluster that holds stacked posts is never read whole.';
