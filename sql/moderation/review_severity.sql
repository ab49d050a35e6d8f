create or replace function darkroom.review_severity(cause text) returns smallint
language sql immutable as $$
    select case cause when 'listed_hash' then 8 when 'look_alike' then 4 when 'uploader_record' then 3
                      when 'appeal' then 2 when 'every_upload' then 1 else 0 end::smallint
$$;
comment on function darkroom.review_severity is
    'How urgently a person should review a post that is listed for this cause, 0 to 9 as for a reason of reports. Reports bring '
    'a severity of their own.';
