create or replace function darkroom.further_filter(filter darkroom.post_filter) returns darkroom.post_filter
language sql immutable parallel safe as $$
    select case when num_nonnulls((filter).author_handle, (filter).country, (filter).division, (filter).city, (filter).place,
                                  (filter).published_until, (filter).taken_since, (filter).taken_until, (filter).taken_hours,
                                  (filter).taken_season) > 0 then filter end
$$;
comment on function darkroom.further_filter is
    'The filter, if it has conditions beyond category, activity and published_since, else null. Those three are in the '
    'indexes that searches near a coordinate read; what else a filter has is compared with the post''s row.';
