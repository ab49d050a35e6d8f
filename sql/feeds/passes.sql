-- It has no settings and no subqueries, so that the planner puts its conditions into the query. Where the filter is known
-- when a query is planned, only the conditions that it has remain, and can use indexes.
create or replace function darkroom.passes(filter darkroom.post_filter, post darkroom.feed) returns boolean
language sql immutable parallel safe as $$
    select ((filter).category is null or (post).category = (filter).category)
       and ((filter).activity is null or (post).activity = (filter).activity)
       and ((filter).author_handle is null or (post).author_handle = (filter).author_handle)
       and ((filter).country is null or (post).country = (filter).country)
       and ((filter).division is null or (post).division = (filter).division)
       and ((filter).city is null or (post).city = (filter).city)
       and ((filter).place is null or (post).place = (filter).place)
       and ((filter).published_since is null or (post).published_at >= (filter).published_since)
       and ((filter).published_until is null or (post).published_at < (filter).published_until)
       and ((filter).taken_since is null or (post).taken_at >= (filter).taken_since)
       and ((filter).taken_until is null or (post).taken_at < (filter).taken_until)
       and ((filter).taken_hours is null or ((filter).taken_hours >> (post).taken_hour) & 1 = 1)
       and ((filter).taken_season is null or (post).taken_season = (filter).taken_season)
$$;
comment on function darkroom.passes is 'Whether a post is one of those that a filter keeps. A null filter keeps every post.';
