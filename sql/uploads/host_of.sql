-- As browsers read a URL (WHATWG URL Standard, section 4.4): a backslash ends the host, and what is before an @ is not in it.
create or replace function darkroom.host_of(link text) returns text
language sql immutable parallel safe as $$
    select lower(regexp_replace(
        case when named ~ E'^\\[' then split_part(substr(named, 2), ']', 1) else split_part(named, ':', 1) end,
        E'\\.$', '') collate "C")
    from (select regexp_replace(substring(link from E'://([^/?#\\\\]*)'), '^.*@', '') as named) a
$$;
comment on function darkroom.host_of is 'The host of an http URL with ASCII letters in lower case.';
