create or replace function darkroom.seconds_until(instant timestamptz) returns integer
language sql stable as $$
    select case when instant is not null then least(2147483647, ceil(extract(epoch from instant - now())))::integer end
$$;
comment on function darkroom.seconds_until is 'In how many seconds it is this time, rounded up: retry_after_s of what people are told. Null for null.';
