-- May be called by: api
-- Example:
--   select argument, reason, message from darkroom.check_upload(
--       uploader => 'user-17', headline => 'The ferry', link => 'ftp://example.org', latitude => 147.6, longitude => -122.3)
-- The arguments have plain types: their domains would refuse the call, and this function tells what they refuse.
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
    anonymous       boolean default false,
    has_photo       boolean default true,
    replaces        bigint default null,
    is_draft        boolean default false,
    venue_id        text default null,
    venue_name      text default null,
    credit          text default null,
    licence         text default null
) returns table (argument text, reason text, message text, retry_after_s integer)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set jit = off as $$
#variable_conflict use_variable
declare
    -- Every domain of a text refuses one of more than 20,000 bytes, so it is cut before it is copied.
    given jsonb := (
        select jsonb_object_agg(t.name, case when octet_length(t.content) > 20000 then repeat('x', 20001) else t.content end)
        from (values ('uploader', coalesce(uploader, '')), ('headline', headline), ('caption', caption), ('link', link),
                     ('category', category), ('activity', activity), ('place_text', place_text),
                     ('idempotency_key', idempotency_key), ('queue', coalesce(queue, '')),
                     ('location_privacy', location_privacy), ('place_country', place_country), ('venue_id', venue_id),
                     ('venue_name', venue_name), ('credit', credit), ('licence', licence)) t (name, content))
        || jsonb_build_object(
            'latitude', latitude, 'longitude', longitude, 'taken_at', taken_at, 'run_at', run_at, 'accuracy_m', accuracy_m,
            'place_near_latitude', place_near_latitude, 'place_near_longitude', place_near_longitude);
    told  text[] := '{}';
    one   record;
begin
    for one in
        select a.attname::text as name, a.atttypid::regtype as type from pg_attribute a
        where a.attrelid = 'darkroom.new_upload'::regclass and given ? a.attname
        union all
        values ('run_at', 'darkroom.moment'::regtype), ('queue', 'darkroom.queue_name'::regtype)
    loop
        begin
            execute format('select $1::%s', one.type) using given ->> one.name;
        exception when check_violation then
            get stacked diagnostics reason = constraint_name;
            given := given || jsonb_build_object(one.name, null);
            told := told || one.name;
            argument := one.name;
            message := darkroom.rule_message(reason);
            return next;
        end;
    end loop;
    -- What is left of a wrong coordinate would be another objection.
    if told && array['latitude', 'longitude'] then
        given := given || '{"latitude": null, "longitude": null, "accuracy_m": null}';
    end if;
    if told && array['place_near_latitude', 'place_near_longitude'] then
        given := given || '{"place_near_latitude": null, "place_near_longitude": null}';
    end if;
    headline := darkroom.clean_text(given ->> 'headline');
    caption := darkroom.clean_text(given ->> 'caption');
    link := darkroom.clean_text(given ->> 'link');
    category := darkroom.clean_word(given ->> 'category');
    given := given || jsonb_build_object(
        'headline', headline, 'caption', caption, 'link', link, 'category', category,
        'activity', darkroom.clean_word(given ->> 'activity'), 'place_text', darkroom.clean_text(given ->> 'place_text'),
        'venue_id', darkroom.clean_word(given ->> 'venue_id'), 'venue_name', darkroom.clean_word(given ->> 'venue_name'));
    if has_photo is distinct from false then
        given := given || jsonb_build_object('original_key', 'originals', 'original_sha256', sha256(''), 'original_bytes', 0);
    end if;
    if is_draft then
        begin
            perform darkroom.refuse_queue_of_draft(queue, priority, run_at);
        exception when check_violation then
            get stacked diagnostics reason = constraint_name, message = message_text;
            argument := 'is_draft';
            return next;
        end;
    end if;
    return query
        select case b.argument when 'original_key' then 'has_photo' else b.argument end, b.reason,
               darkroom.rule_message(b.reason), null::integer
        from (select * from darkroom.broken_constraints('darkroom.uploads', given)
              union all
              select * from darkroom.broken_constraints(
                  'darkroom.lanes', jsonb_build_object('priority', greatest(-101, least(101, priority))))) b
        -- What is wrong is not missing too.
        where not (told && case b.reason
                      when 'upload_without_a_photo_has_a_headline_a_caption_or_a_link' then array['headline', 'caption', 'link']
                      when 'upload_without_a_photo_says_where_it_is' then array['latitude', 'longitude', 'place_text']
                      when 'venue_with_a_number_has_a_name' then array['venue_id', 'venue_name']
                      else array[b.argument] end)
        union all
        select o.argument, o.reason, o.message, null
        from darkroom.posting_objections(headline, caption, category, link, (given ->> 'accuracy_m')::double precision) o
        where o.argument <> all (told) and is_draft is not true
        union all
        select 'replaces', 'no_such_post', format('You have no post %s to replace.', replaces), null
        where replaces is not null and not darkroom.can_replace(replaces, given ->> 'uploader')
          and not exists (select from darkroom.uploads k
                          where k.uploader = given ->> 'uploader' and k.idempotency_key = given ->> 'idempotency_key')
        union all
        select 'uploader', 'person_is_barred', b.message, darkroom.seconds_until(b.ends_at)
        from darkroom.bar_of(given ->> 'uploader') b
        where 'uploader' <> all (told)
        union all
        -- The size of a photo is not known yet, but is more than nothing. A repeated upload is the one that was counted.
        select 'uploader', q.reason, q.message, q.retry_after_s
        from darkroom.quota_objections(uploader, 1, case when has_photo is distinct from false then 1 else 0 end) q
        where 'uploader' <> all (told)
          and not exists (select from darkroom.uploads k
                          where k.uploader = given ->> 'uploader' and k.idempotency_key = given ->> 'idempotency_key');
end $$;
comment on function darkroom.check_upload is
    'Says what enqueue_upload would refuse, before the photo is uploaded: a row for each objection, and none if there is '
    'none. It has the arguments of enqueue_upload without the original; has_photo => false is for a text without a photo; a draft need not please the posting policy yet; coordinates are degrees, accuracy_m metres. '
    'argument is the name of the argument, reason a code: that of a rejection by the posting policy, or the name of the '
    'constraint, as enqueue_upload has it. message is for the uploader. If the person''s quota is used up, or the person is barred for a while, retry_after_s is the '
    'number of seconds until they can go on; otherwise it is null. What only the photo or a gazetteer can tell is not '
    'checked.';
