create or replace function darkroom.wilson_score(likes bigint, dislikes bigint) returns double precision
language sql immutable parallel safe as $$
    select case when likes = 0 then 0 else
        (likes + 1.9207294103470262::float8
         - 1.959963984540054::float8 * sqrt(likes::float8 * dislikes / (likes + dislikes) + 0.9603647051735131::float8))
        / (likes + dislikes + 3.8414588206940524::float8) end
$$;
comment on function darkroom.wilson_score is
    'Lower bound of the 95 % score interval of the share of likes (E. B. Wilson, Journal of the American Statistical '
    'Association 22, 1927); 0 without votes.';
