create or replace function darkroom.acts_number(of_person text) returns integer
language sql immutable parallel safe as $$
    select (hashtextextended(of_person, 0) & 63)::integer
$$;
comment on function darkroom.acts_number is
    'The number of the lock that anyone who acts for a person shares, 0 to 63; the end of an erasure holds it alone.';
