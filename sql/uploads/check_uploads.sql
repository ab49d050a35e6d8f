-- Rules about several fields, and a link's: the table would refuse them too, but show the row with its coordinates.
create or replace function darkroom.check_uploads(uploads darkroom.new_upload[]) returns void
language plpgsql stable as $$
#variable_conflict use_column
declare
    bad  text;
    lack text;
begin
    if array_ndims($1) > 1 or cardinality($1) > 10000 then
        raise exception using errcode = 'invalid_parameter_value', message = 'uploads is not a list of at most 10,000',
            hint = 'Give one array of uploads; several calls can share a transaction.';
    end if;
    select x.bad, x.lack into bad, lack
    -- A text has no original; a photo has all that describes one.
    from (select case when uploader is null then 'uploader'
                      when num_nonnulls(original_key, original_sha256, original_bytes) = 0 then null
                      when original_key is null then 'original_key'
                      when original_sha256 is null then 'original_sha256'
                      when original_bytes is null then 'original_bytes' end as lack,
                 case when (latitude is null) <> (longitude is null) then 'latitude_and_longitude_go_together'
                      when accuracy_m is not null and latitude is null then 'accuracy_goes_with_coordinates'
                      when (place_near_latitude is null) <> (place_near_longitude is null)
                      then 'place_near_is_a_latitude_and_a_longitude'
                      when darkroom.clean_word(venue_id) is not null and darkroom.clean_word(venue_name) is null
                      then 'venue_with_a_number_has_a_name'
                      when original_key is null and coalesce(darkroom.clean_text(headline), darkroom.clean_text(caption), darkroom.clean_text(link)) is null
                      then 'upload_without_a_photo_has_a_headline_a_caption_or_a_link'
                      when original_key is null and latitude is null and darkroom.clean_text(place_text) is null
                      then 'upload_without_a_photo_says_where_it_is'
                      when not darkroom.is_blank(link) and not link ~* '^https?://'
                      then 'link_is_an_http_url_of_at_most_2000_characters'
                      when not darkroom.is_blank(link) and not darkroom.is_link(darkroom.clean_text(link))
                      then 'link_names_a_host_without_credentials_or_control_characters' end as bad
          from unnest($1)) x
    where x.bad is not null or x.lack is not null limit 1;
    if lack is not null then
        perform darkroom.missing(lack);
    elsif bad is not null then
        raise exception using errcode = 'check_violation', constraint = bad,
            message = format('an upload violates the rule “%s”', replace(bad, '_', ' ')), hint = 'The rule''s name says what to give.';
    end if;
end $$;
comment on function darkroom.check_uploads is
    'Raises 23502 for an upload that lacks a field, 23514 for fields that do not go together or a link that is none, and 22023 '
    'for more than 10,000 uploads.';
