create or replace function darkroom.is_read(person text, number bigint) returns boolean
language sql stable as $$
    select exists (select from darkroom.inboxes i where i.person = is_read.person and i.read_up_to >= is_read.number)
$$;
comment on function darkroom.is_read is 'Whether a person has read the inbox up to a number.';
