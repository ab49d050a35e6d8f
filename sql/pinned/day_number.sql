create or replace function darkroom.day_number(at timestamptz) returns integer
language sql immutable parallel safe as $$ select floor(extract(epoch from at) / 86400)::integer $$;
comment on function darkroom.day_number is 'Days of UTC since 1970-01-01.';
