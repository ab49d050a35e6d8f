-- A text of blanks is none. NFC, so that what looks alike is found alike (Unicode Standard Annex 15).
create or replace function darkroom.clean_text(content text) returns text
language sql immutable parallel safe as $$
    select case when content ~ '[^\s\u00A0\u200B-\u200F\u2060\uFEFF]'
                then normalize(replace(content, E'\r\n', E'\n'), nfc) end
$$;
comment on function darkroom.clean_text is
    'A text in the normal form C with line feeds alone at the ends of lines; null where it is blank.';
