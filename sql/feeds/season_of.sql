create or replace function darkroom.season_of(local_time timestamp, latitude double precision) returns text
language sql immutable parallel safe as $$
    select (array['winter', 'spring', 'summer', 'autumn'])[
        1 + (extract(month from local_time)::integer % 12 / 3 + case when latitude < 0 then 2 else 0 end) % 4]
$$;
comment on function darkroom.season_of is
    'The meteorological season: three whole months each, and winter from December in the northern hemisphere, from June in '
    'the southern one. Null without a time.';
