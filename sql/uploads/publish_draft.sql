-- May be called by: api
-- Example:
--   select darkroom.publish_draft(job_id => 2, uploader => 'user-17', headline => 'The ferry', latitude => 47.6026, longitude => -122.3393)
create or replace function darkroom.publish_draft(
    job_id     bigint,
    uploader   darkroom.person,
    headline   darkroom.headline default null,
    caption    darkroom.caption default null,
    link       darkroom.link default null,
    category   darkroom.category default null,
    activity   darkroom.activity_name default null,
    latitude   darkroom.latitude default null,
    longitude  darkroom.longitude default null,
    accuracy_m darkroom.accuracy_m default null,
    place_text darkroom.place_text default null
) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    target bigint := job_id;
    draft  darkroom.uploads;
    given  jsonb := jsonb_strip_nulls(jsonb_build_object(
        'headline', darkroom.clean_text(headline), 'caption', darkroom.clean_text(caption), 'link', darkroom.clean_text(link),
        'category', darkroom.clean_word(category), 'activity', case when activity is not null then darkroom.activity_named(activity) end,
        'place_text', darkroom.clean_text(place_text)));
    broken text;
begin
    select u.* into draft from darkroom.uploads u
    where u.job_id = target and u.uploader = publish_draft.uploader and u.is_draft for update;
    if not found then
        return false;
    end if;
    perform darkroom.refuse_barred(uploader);
    if num_nonnulls(latitude, longitude) > 0 then
        given := given || jsonb_build_object('latitude', latitude, 'longitude', longitude, 'accuracy_m', accuracy_m);
    end if;
    given := to_jsonb(draft) || given;
    select b.reason into broken from darkroom.broken_constraints('darkroom.uploads', given) b limit 1;
    if found then
        raise exception using errcode = 'check_violation', constraint = broken, message = darkroom.rule_message(broken);
    end if;
    update darkroom.uploads u
    set (headline, caption, link, category, activity, latitude, longitude, accuracy_m, place_text) = (
            select g.headline, g.caption, g.link, g.category, g.activity, g.latitude, g.longitude, g.accuracy_m, g.place_text
            from jsonb_populate_record(null::darkroom.uploads, given) g),
        is_draft = false
    where u.upload_id = draft.upload_id;
    if exists (select from darkroom.posting_policies p where p.version > 1) then
        perform darkroom.refuse_by_policy(array[draft.upload_id]);
    end if;
    perform darkroom.enqueue_jobs(case when draft.original_key is null then 'ingest_text' else 'ingest' end, array[draft.upload_id],
                                  array[draft.uploader], job_ids => array[target]);
    return true;
end $$;
comment on function darkroom.publish_draft is
    'Queues a draft of its uploader, which enqueue_upload saved with is_draft. What is given takes the place of what the draft says; '
    'the arguments are those of enqueue_upload, the position in degrees and metres. Returns false if this uploader has no such draft, as when it is published already. '
    'Errors: 23514 for what enqueue_upload would refuse (the constraint''s name says why), 42501 (person_is_barred).';
