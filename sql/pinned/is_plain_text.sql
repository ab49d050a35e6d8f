create or replace function darkroom.is_plain_text(content text, lines boolean default false) returns boolean
language plpgsql immutable strict parallel safe as $$
begin
    return case when lines then content !~ E'[\\u0001-\\u0008\\u000B\\u000C\\u000E-\\u001F\\u007F-\\u009F\\u2028\\u2029\\u202D\\u202E]'
                else content !~ E'[\\u0001-\\u001F\\u007F-\\u009F\\u2028\\u2029\\u202D\\u202E]' end
       and content ~ E'[^\\s\\u00A0\\u200B-\\u200F\\u2060\\uFEFF]';
end $$;
comment on function darkroom.is_plain_text is
    'Whether a text can be shown as it is: no control characters (with lines, line feeds, carriage returns and tabs '
    'are allowed), no characters that change the direction of what follows, and not blank.';
