create or replace function darkroom.conditions_of(filter darkroom.post_filter, of text) returns text
language plpgsql immutable as $$
begin
    return
        case when filter.category is not null then ' and ' || of || '.category = ' || quote_literal(filter.category) else '' end
        || case when filter.activity is not null then ' and ' || of || '.activity = ' || quote_literal(filter.activity) else '' end
        || case when filter.author_handle is not null then ' and ' || of || '.author_handle = ' || quote_literal(filter.author_handle) else '' end
        || case when filter.country is not null then ' and ' || of || '.country = ' || quote_literal(filter.country) else '' end
        || case when filter.division is not null then ' and ' || of || '.division = ' || quote_literal(filter.division) else '' end
        || case when filter.city is not null then ' and ' || of || '.city = ' || quote_literal(filter.city) else '' end
        || case when filter.place is not null then ' and ' || of || '.place = ' || quote_literal(filter.place) else '' end
        || case when filter.published_since is not null then ' and ' || of || '.published_at >= ($1).published_since' else '' end
        || case when filter.published_until is not null then ' and ' || of || '.published_at < ($1).published_until' else '' end
        || case when filter.taken_since is not null then ' and ' || of || '.taken_at >= ($1).taken_since' else '' end
        || case when filter.taken_until is not null then ' and ' || of || '.taken_at < ($1).taken_until' else '' end
        || case when filter.taken_hours is not null then format(' and %s >> %s.taken_hour & 1 = 1', filter.taken_hours, of) else '' end
        || case when filter.taken_season is not null then ' and ' || of || '.taken_season = ' || quote_literal(filter.taken_season) else '' end;
end $$;
comment on function darkroom.conditions_of is
    'The conditions that a filter has, as SQL about a row of feed with this name: what passes checks, for queries that '
    'are executed as a text with the filter as their first parameter, which times refer to.';
