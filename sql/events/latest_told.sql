create or replace function darkroom.latest_told(comment_ids bigint[]) returns bigint[]
language sql immutable parallel safe as $$
    select comment_ids[greatest(1, cardinality(comment_ids) - 999):]
$$;
comment on function darkroom.latest_told is
    'The last 1,000 of some comments: so many of those that an entry of an inbox tells of can be taken out of it.';
