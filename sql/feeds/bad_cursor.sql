create or replace function darkroom.bad_cursor(after text) returns void
language plpgsql as $$
begin
    raise exception using errcode = 'invalid_parameter_value',
        message = format('“%s” is not a cursor of this feed', after),
        hint = 'Give the cursor of the last row of the previous page, from the same feed with the same parameters.';
end $$;
comment on function darkroom.bad_cursor is 'Raises 22023 for a text that is not a cursor of the feed.';
