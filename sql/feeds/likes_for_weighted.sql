create or replace function darkroom.likes_for_weighted(
    rating double precision, average_rating double precision, average_votes double precision
) returns integer
language sql immutable parallel safe as $$
    select case when rating > greatest(average_rating, 0) then least(2147483647, ceil(
                    (rating + sqrt(rating * rating + 4 * average_votes * (rating - average_rating))) / 2 * (1 - 1e-6::float8)))
                else 0 end::integer
$$;
comment on function darkroom.likes_for_weighted is
    'No post with fewer likes has this weighted rating: the solution l of (V R + l²) / (V + l) = rating, since a dislike lowers a '
    'rating above 0. It is 0 for a rating that posts without votes have, too.';
