create or replace function darkroom.name_key(name text) returns text
language sql immutable parallel safe
return normalize(btrim(regexp_replace(replace(replace(lower(upper(
    regexp_replace(normalize(regexp_replace(name,
        E'[\\u00AD\\u034F\\u061C\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180F\\u200B-\\u200F\\u202A-\\u202E\\u2060-\\u206F\\u3164\\uFE00-\\uFE0F\\uFEFF\\uFFA0\\uFFF0-\\uFFF8\\U0001BCA0-\\U0001BCA3\\U0001D173-\\U0001D17A\\U000E0000-\\U000E0FFF]', '', 'g'), nfkc),
        E'[\\u115F\\u1160]', '', 'g'))),
    E'\u1E9E', 'ss'), E'\u00DF', 'ss'), E'[\\s\\u00A0\\u1680\\u2800]+', ' ', 'g')), nfkc);
comment on function darkroom.name_key is
    'The key by which display names are compared: without invisible characters, in compatibility form (NFKC), without '
    'regard to case, sharp s as ss, any spaces as one, and none at the ends.';
