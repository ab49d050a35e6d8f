create or replace function darkroom.is_blank(content text) returns boolean
language plpgsql immutable strict parallel safe as $$
begin
    return content !~ E'[^\\s\\u00A0\\u200B-\\u200F\\u2060\\uFEFF]';
end $$;
comment on function darkroom.is_blank is 'Whether a text has only spaces and invisible characters.';
