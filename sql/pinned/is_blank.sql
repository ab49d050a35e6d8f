create or replace function darkroom.is_blank(content text) returns boolean
language sql immutable parallel safe
return content !~ '[^\s\u00A0\u200B-\u200F\u2060\uFEFF]';
comment on function darkroom.is_blank is 'Whether a text has only spaces and invisible characters.';
