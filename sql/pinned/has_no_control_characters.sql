create or replace function darkroom.has_no_control_characters(content text, lines boolean default false) returns boolean
language plpgsql immutable strict parallel safe as $$
begin
    return case when lines then content !~ E'[\\u0001-\\u0008\\u000B\\u000C\\u000E-\\u001F\\u007F-\\u009F\\u2028\\u2029\\u202D\\u202E]'
            else content !~ E'[\\u0001-\\u001F\\u007F-\\u009F\\u2028\\u2029\\u202D\\u202E]' end;
end $$;
comment on function darkroom.has_no_control_characters is
    'Whether a text has no control characters (with lines, line feeds, carriage returns and tabs are allowed) and none '
    'that change the direction of what follows. Like darkroom.is_plain_text, but blank texts pass.';
