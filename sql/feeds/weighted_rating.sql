create or replace function darkroom.weighted_rating(
    likes bigint, dislikes bigint, average_rating double precision, average_votes double precision
) returns double precision
language sql immutable parallel safe as $$
    select case when likes + dislikes + average_votes = 0 then average_rating
                else (average_votes * average_rating + (likes - dislikes)::float8 * (likes + dislikes))
                     / (average_votes + likes + dislikes) end
$$;
comment on function darkroom.weighted_rating is
    'The rating of a post, its likes less its dislikes, drawn to the average rating of all posts: average_votes votes with that rating '
    'are added to the post''s own votes.';
