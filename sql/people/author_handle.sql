-- HMAC-SHA-256 (RFC 2104), cut to 96 bits. An expression that is as stable as convert_to, so that the planner inlines it.
create or replace function darkroom.author_handle(inner_pad bytea, outer_pad bytea, within text, person text) returns text
language sql stable parallel safe as $$
    select encode(substr(sha256(outer_pad || sha256(
        inner_pad || convert_to(within, 'UTF8') || E'\\x00'::bytea || convert_to(person, 'UTF8'))), 1, 12), 'hex')
$$;
comment on function darkroom.author_handle is
    'What stands for a person within something: 24 hexadecimal digits, which nobody without the key can compute or link to those '
    'within something else.';
