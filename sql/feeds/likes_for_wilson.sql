-- The margin covers the rounding of a score close to 1.
create or replace function darkroom.likes_for_wilson(score double precision) returns integer
language sql immutable parallel safe as $$
    select case when score < 1
                then greatest(0, least(2147483647, ceil(3.8414588206940524::float8 * score / (1 - score) * (1 - 1e-6::float8))))
                else 2147483647 end::integer
$$;
comment on function darkroom.likes_for_wilson is
    'No post with fewer likes has this Wilson score: with l likes and no dislikes, it is l / (l + z²).';
