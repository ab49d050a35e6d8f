create or replace function darkroom.person_lock_number(person text) returns integer
language sql immutable parallel safe as $$
    select (hashtextextended(person, 0) & 255)::integer
$$;
comment on function darkroom.person_lock_number is
    'The number of a person''s lock, 0 to 255 in the class 20260126. Anyone who acts for the person shares it; the end '
    'of an erasure holds it exclusively.';
