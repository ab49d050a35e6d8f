-- Uses btrim, since a regular expression takes quadratic time on a text of many spaces.
create or replace function darkroom.clean_word(content darkroom.written) returns text
language sql immutable parallel safe as $$
    select case when content ~ E'[^\\s\\u00A0\\u200B-\\u200F\\u2060\\uFEFF]'
                then nullif(normalize(btrim(content, E' \t\n\u000B\f\r\u00A0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A\u200B\u202F\u205F\u2060\u3000\uFEFF'), nfc), '') end
$$;
comment on function darkroom.clean_word is
    'A name as it is stored and searched for: in the normal form NFC, without spaces at its ends; null if it is blank.';
