create or replace function darkroom.needs_row(filter darkroom.post_filter) returns boolean
language sql immutable parallel safe as $$
    select num_nonnulls((filter).author_handle, (filter).country, (filter).division, (filter).city, (filter).place,
                        (filter).published_until, (filter).taken_since, (filter).taken_until) > 0
$$;
comment on function darkroom.needs_row is
    'Whether a filter has conditions that the indexes of tiles lack, so that the post''s row must be looked up.';
