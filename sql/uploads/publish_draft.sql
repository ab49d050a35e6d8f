-- May be called by: api
-- Example:
--   select darkroom.publish_draft(job_id => 2, uploader => 'user-17', headline => 'The ferry', latitude => 47.6026, longitude => -122.3393)
create or replace function darkroom.publish_draft(
    job_id          bigint,
    uploader        darkroom.person,
    headline        darkroom.headline default null,
    caption         darkroom.caption default null,
    link            darkroom.link default null,
    category        darkroom.category default null,
    activity        darkroom.activity_name default null,
    latitude        darkroom.latitude default null,
    longitude       darkroom.longitude default null,
    accuracy_m      darkroom.accuracy_m default null,
    place_text      darkroom.place_text default null,
    taken_at        darkroom.moment default null,
    location_privacy darkroom.privacy_choice default null,
    place_near_latitude  darkroom.latitude default null,
    place_near_longitude darkroom.longitude default null,
    place_country   darkroom.place_country default null,
    anonymous       boolean default null,
    venue_id        darkroom.word default null,
    venue_name      darkroom.line default null,
    credit          darkroom.line default null,
    licence         darkroom.line default null,
    is_draft        boolean default false,
    queue           darkroom.queue_name default 'default',
    priority        integer default 0,
    run_at          darkroom.moment default null
) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    target bigint := job_id;
    draft  darkroom.uploads;
    said   darkroom.uploads;
    -- An empty text takes away what the draft says.
    texts  jsonb := jsonb_build_object(
        'headline', darkroom.clean_text(headline), 'caption', darkroom.clean_text(caption), 'link', darkroom.clean_text(link),
        'category', darkroom.clean_word(category),
        'activity', case when darkroom.clean_word(activity) is not null then darkroom.activity_named(activity) end,
        'place_text', darkroom.clean_text(place_text), 'venue_id', darkroom.clean_word(venue_id),
        'venue_name', darkroom.clean_word(venue_name), 'credit', darkroom.clean_word(credit), 'licence', darkroom.clean_word(licence));
    given  jsonb := jsonb_strip_nulls(jsonb_build_object(
        'headline', headline, 'caption', caption, 'link', link, 'category', category, 'activity', activity, 'place_text', place_text,
        'venue_id', venue_id, 'venue_name', venue_name, 'credit', credit, 'licence', licence, 'taken_at', taken_at,
        'location_privacy', location_privacy, 'place_country', place_country, 'anonymous', anonymous, 'accuracy_m', accuracy_m));
    broken text;
begin
    select u.* into draft from darkroom.uploads u
    where u.job_id = target and u.uploader = publish_draft.uploader and u.is_draft for update;
    if not found then
        return false;
    end if;
    if is_draft then
        perform darkroom.refuse_queue_of_draft(queue, priority, run_at);
    end if;
    perform darkroom.refuse_barred(uploader);
    given := (select coalesce(jsonb_object_agg(key, coalesce(texts -> key, value)), '{}') from jsonb_each(given));
    -- What belongs together is replaced together, and the last word on where it is counts.
    if num_nonnulls(latitude, longitude) > 0 or texts ->> 'place_text' is not null then
        given := jsonb_build_object('accuracy_m', null) || given || jsonb_build_object('latitude', latitude, 'longitude', longitude);
    end if;
    if num_nonnulls(place_near_latitude, place_near_longitude) > 0 then
        given := given || jsonb_build_object('place_near_latitude', place_near_latitude, 'place_near_longitude', place_near_longitude);
    end if;
    if given ?| array['venue_id', 'venue_name'] then
        given := '{"venue_id": null, "venue_name": null}' || given;
    end if;
    select b.reason into broken from darkroom.broken_constraints('darkroom.uploads', to_jsonb(draft) || given) b limit 1;
    if found then
        raise exception using errcode = 'check_violation', constraint = broken, message = darkroom.rule_message(broken);
    end if;
    said := jsonb_populate_record(draft, given);
    update darkroom.uploads u
    set (headline, caption, link, category, activity, latitude, longitude, accuracy_m, place_text, taken_at, location_privacy,
         place_near_latitude, place_near_longitude, place_country, anonymous, venue_id, venue_name, credit, licence, is_draft) = (
            said.headline, said.caption, said.link, said.category, said.activity, said.latitude, said.longitude, said.accuracy_m,
            said.place_text, said.taken_at, said.location_privacy, said.place_near_latitude, said.place_near_longitude,
            said.place_country, said.anonymous, said.venue_id, said.venue_name, said.credit, said.licence, is_draft is true)
    where u.upload_id = draft.upload_id;
    if is_draft then
        return true;
    end if;
    if exists (select from darkroom.posting_policies p where p.version > 1) then
        perform darkroom.refuse_by_policy(array[draft.upload_id]);
    end if;
    perform darkroom.enqueue_jobs(case when draft.original_key is null then 'ingest_text' else 'ingest' end, array[draft.upload_id],
                                  array[draft.uploader], queue, priority, run_at, array[target]);
    return true;
end $$;
comment on function darkroom.publish_draft is
    'Queues a draft of its uploader, which enqueue_upload saved with is_draft; with is_draft it stays a draft. The arguments are those of '
    'enqueue_upload. What is given takes the place of what the draft says, and an empty text takes it away; a position (degrees) with its accuracy (metres), a venue and '
    'where the uploader is are replaced as a whole, and a place_text alone takes the place of a position. Returns false if this uploader has no such draft, as when it is published already. '
    'Errors: 23514 for what enqueue_upload would refuse (the constraint''s name says why), 22023 for an invalid priority, 42501 (person_is_barred).';
