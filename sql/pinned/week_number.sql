create or replace function darkroom.week_number(at timestamptz) returns integer
language sql immutable parallel safe as $$ select floor(extract(epoch from at) / 604800)::integer $$;
comment on function darkroom.week_number is 'Weeks of UTC, from Thursday to Thursday, since 1970-01-01.';
