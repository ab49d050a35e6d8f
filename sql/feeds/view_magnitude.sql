create or replace function darkroom.view_magnitude(of_post bigint) returns double precision
language sql stable as $$
    select coalesce((select ln(1 + c.views) / ln(2) from darkroom.post_counters c where c.post_id = of_post), 0)
$$;
comment on function darkroom.view_magnitude is 'The binary logarithm of 1 + the views of a post: doubling them adds about 1.';
