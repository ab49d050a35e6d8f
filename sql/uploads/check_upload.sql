-- May be called by: api
-- Example:
--   select argument, reason, message from darkroom.check_upload(
--       uploader => 'user-17', headline => 'The ferry', link => 'ftp://example.org', latitude => 147.6, longitude => -122.3)
create or replace function darkroom.check_upload(
    uploader        text,
    headline        text default null,
    caption         text default null,
    link            text default null,
    category        text default null,
    activity        text default null,
    latitude        double precision default null,
    longitude       double precision default null,
    place_text      text default null,
    taken_at        timestamptz default null,
    priority        integer default 0,
    run_at          timestamptz default null,
    idempotency_key text default null,
    queue           text default 'default',
    accuracy_m      double precision default null,
    location_privacy text default null,
    place_near_latitude  double precision default null,
    place_near_longitude double precision default null,
    place_country   text default null,
    has_photo       boolean default true
) returns table (argument text, reason text, message text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set jit = off as $$
#variable_conflict use_variable
declare
    given jsonb;
begin
    if greatest(octet_length(uploader), octet_length(headline), octet_length(caption), octet_length(link), octet_length(category),
                octet_length(activity), octet_length(place_text), octet_length(idempotency_key), octet_length(queue),
                octet_length(place_country)) > 40000 then
        raise exception using errcode = 'invalid_parameter_value', message = 'a text has more than 40000 bytes',
            hint = 'No text of an upload may have more than 5,000 characters.';
    end if;
    headline := darkroom.clean_text(headline);
    caption := darkroom.clean_text(caption);
    link := darkroom.clean_text(link);
    category := darkroom.clean_word(category);
    given := jsonb_build_object(
        'uploader', coalesce(uploader, ''), 'headline', headline, 'caption', caption, 'link', link, 'category', category,
        'activity', darkroom.clean_word(activity), 'latitude', latitude, 'longitude', longitude,
        'place_text', darkroom.clean_text(place_text), 'taken_at', taken_at, 'idempotency_key', idempotency_key,
        'accuracy_m', accuracy_m, 'place_near_latitude', place_near_latitude, 'place_near_longitude', place_near_longitude,
        'place_country', place_country);
    if has_photo is distinct from false then
        given := given || jsonb_build_object('original_key', 'originals', 'original_sha256', sha256(''), 'original_bytes', 0);
    end if;
    return query
        select case b.argument when 'name' then 'queue' when 'original_key' then 'has_photo' else b.argument end, b.reason,
               format('The rule is: %s.', replace(b.reason, '_', ' '))
        from (select * from darkroom.broken_constraints('darkroom.uploads', given)
              union all
              select * from darkroom.broken_constraints('darkroom.lanes', jsonb_build_object('priority', greatest(-101, least(101, priority))))
              union all
              select * from darkroom.broken_constraints('darkroom.jobs', jsonb_build_object('run_at', run_at))
              union all
              select * from darkroom.broken_constraints('darkroom.queues', jsonb_build_object('name', coalesce(queue, '')))) b
        union all
        select 'location_privacy', 'location_privacy_is_known', format('The rule is: one of %s.', v.known)
        from (select string_agg(l::text, ', ' order by l) as known, array_agg(l::text) as names
              from unnest(enum_range(null::darkroom.location_privacy)) l) v
        where location_privacy <> all (v.names)
        union all
        select o.argument, o.reason, o.message
        from darkroom.posting_objections(headline, caption, category, link, accuracy_m) o;
end $$;
comment on function darkroom.check_upload is
    'Says what enqueue_upload would refuse, before the photo is uploaded: a row for each objection, and none if there is '
    'none. It has the arguments of enqueue_upload without the original; has_photo => false is for a text without a photo. '
    'argument is the name of the argument, reason a code: that of a rejection by the posting policy, or the name of the '
    'constraint. message is for the uploader. What only the photo or a gazetteer can tell is not checked. Errors: 22023 for '
    'a text of more than 40,000 bytes.';
