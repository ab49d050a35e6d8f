create or replace function darkroom.weighted_rating(
    likes bigint, dislikes bigint, average_rating double precision, average_votes double precision
) returns double precision
language sql immutable parallel safe as $$
    select case when likes + dislikes + average_votes = 0 then average_rating
                else (average_votes * average_rating + likes) / (average_votes + likes + dislikes) end
$$;
comment on function darkroom.weighted_rating is
    'The Bayesian average of the share of likes: average_votes votes of average_rating are added to the post''s own.';
