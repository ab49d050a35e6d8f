-- NFC makes texts that look the same compare as equal (Unicode Standard Annex 15).
create or replace function darkroom.clean_text(content darkroom.written) returns text
language sql immutable parallel safe as $$
    select case when content ~ E'[^\\s\\u00A0\\u200B-\\u200F\\u2060\\uFEFF]'
                then normalize(replace(content, E'\r\n', E'\n'), nfc) end
$$;
comment on function darkroom.clean_text is
    'A text in Unicode''s normal form C (NFC), with line feeds alone as line ends; null if it is blank.';
