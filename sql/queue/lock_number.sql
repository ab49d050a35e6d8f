create or replace function darkroom.lock_number(of_key text) returns integer
language sql immutable parallel safe as $$
    select (hashtextextended(of_key, 0) & 1023)::integer
$$;
comment on function darkroom.lock_number is
    'The number of the lock of a key, 0 to 1023: the locks media, person and display_name are a thousand each. Keys of the '
    'same number wait for each other.';
