-- A host ends at the forbidden host code points of the WHATWG URL Standard, section 3.2. It also has no spaces, and no
-- characters that are invisible or change the direction of what follows (Unicode's Default_Ignorable_Code_Point).
create or replace function darkroom.is_link(link text) returns boolean
language plpgsql immutable strict parallel safe as $$
begin
    return link ~ (
    '^[Hh][Tt][Tt][Pp][Ss]?://'
    || E'(\\[[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*\\]'
    || E'|[-_]*[^\\u0001-$&-/:-@\\[-`{-\\u00A0\\u00AD\\u034F\\u061C\\u115F\\u1160\\u1680\\u17B4\\u17B5\\u180B-\\u180F\\u2000-\\u200F\\u2028-\\u202F\\u205F-\\u206F\\u3000\\u3164\\uFE00-\\uFE0F\\uFEFF\\uFFA0\\uFFF0-\\uFFF8\\U0001BCA0-\\U0001BCA3\\U0001D173-\\U0001D17A\\U000E0000-\\U000E0FFF]'
    || E'[^\\u0001- #/:<>?@\\[\\\\\\]^|\\u007F-\\u00A0\\u00AD\\u034F\\u061C\\u115F\\u1160\\u1680\\u17B4\\u17B5\\u180B-\\u180F\\u2000-\\u200F\\u2028-\\u202F\\u205F-\\u206F\\u3000\\u3164\\uFE00-\\uFE0F\\uFEFF\\uFFA0\\uFFF0-\\uFFF8\\U0001BCA0-\\U0001BCA3\\U0001D173-\\U0001D17A\\U000E0000-\\U000E0FFF]*)'
    || '(:[0-9]*)?'
    || E'([/?#][^\\u0001- \\u007F-\\u009F\\u1680\\u2000-\\u2006\\u2008-\\u200A\\u2028\\u2029\\u202D\\u202E\\u205F\\u3000]*)?$');
end $$;
comment on function darkroom.is_link is
    'Whether a text is an http or https URL with a host and perhaps a port, without credentials, spaces or control '
    'characters. The host begins with a letter or digit of any script, or an IPv6 bracket; hyphens, underscores and '
    'percent signs before it are skipped.';
