create or replace function darkroom.age_magnitude(published_at timestamptz, half_life interval default '1 day')
returns double precision
language sql immutable parallel safe as $$
    select extract(epoch from published_at)::float8 / extract(epoch from half_life)::float8
$$;
comment on function darkroom.age_magnitude is
    'A time in half-lives since 1970. A post that is one half-life younger than another has 1 more, at any later time, '
    'so no row needs rewriting as posts age.';
