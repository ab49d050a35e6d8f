create or replace function darkroom.has_no_unseen_characters(content text) returns boolean
language sql immutable parallel safe
return content !~ (
    -- Unicode's Default_Ignorable_Code_Point (DerivedCoreProperties), except those in the lines below.
    E'[\\u00AD\\u034F\\u061C\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180F\\u200B\\u200E\\u200F\\u202A-\\u202E\\u2060-\\u206F\\u3164\\uFE00-\\uFE0E\\uFEFF\\uFFA0\\uFFF0-\\uFFF8\\U0001BCA0-\\U0001BCA3\\U0001D173-\\U0001D17A\\U000E0000-\\U000E001F\\U000E0080-\\U000E0FFF]'
    -- U+FE0F turns the character before it into an emoji, keycaps included; U+200D joins emoji (Unicode Technical Standard 51).
    || E'|(?<![\\u00A9\\u00AE\\u203C\\u2049\\u2122\\u2139\\u2190-\\u21FF\\u2300-\\u23FF\\u24C2\\u25A0-\\u27BF\\u2900-\\u297F\\u2B00-\\u2BFF\\u3030\\u303D\\u3297\\u3299\\U0001F000-\\U0001FAFF0-9#*])\\uFE0F'
    || E'|(?<=[0-9#*])\\uFE0F(?!\\u20E3)'
    -- U+200D and U+200C also shape words of the scripts from Arabic to Sinhala (RFC 5892, appendices A.1 and A.2).
    || E'|(?<![\\u2190-\\u21FF\\u2300-\\u23FF\\u25A0-\\u27BF\\u2B00-\\u2BFF\\U0001F000-\\U0001FAFF\\uFE0F\\u0620-\\u0DFF])\\u200D'
    || E'|(?<![\\u0620-\\u0DFF])\\u200C'
    -- Tag characters distinguish the flags of a country's parts.
    || E'|(?<![\\U0001F3F4\\U000E0020-\\U000E007E])[\\U000E0020-\\U000E007F]');
comment on function darkroom.has_no_unseen_characters is
    'Whether a text has no characters that are invisible or set a direction. Those with which emoji and the scripts '
    'from Arabic to Sinhala are written are allowed after a character of these.';
