create or replace function darkroom.vote_magnitude(likes bigint, dislikes bigint) returns double precision
language sql immutable parallel safe as $$
    select sign(likes - dislikes) * ln(1 + abs(likes - dislikes)) / ln(2)
$$;
comment on function darkroom.vote_magnitude is
    'The binary logarithm of 1 + likes - dislikes, mirrored if there are more dislikes: doubling the lead adds 1.';
