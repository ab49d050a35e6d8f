create or replace function darkroom.cursor_key(feed text, after text) returns double precision
language plpgsql stable as $$
declare
    key double precision;
begin
    if after is null then return null; end if;
    if octet_length(after) > 200 then perform after::darkroom.cursor; end if;
    if starts_with(after, feed || ':') and substr(after, length(feed) + 2)
       ~ '^-?[0-9]{1,20}([.][0-9]{1,20})?(e([+]?[0-9]{1,2}|-[0-9]{1,2}))?~[0-9]{1,18}$'
    then
        key := substr(split_part(after, '~', 1), length(feed) + 2)::float8;
    end if;
    -- No score comes near this limit; a time in microseconds reaches it after the year 8000.
    if key is null or abs(key) > 2e17 then perform darkroom.bad_cursor(after); end if;
    return key;
end $$;
comment on function darkroom.cursor_key is
    'The sort key that a cursor holds; null without a cursor. Errors: 23514 for a text that is too long for a cursor, 22023 for one that is not a cursor of this '
    'feed.';
