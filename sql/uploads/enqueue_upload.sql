-- May be called by: api
-- Example:
--   select darkroom.enqueue_upload(
--       uploader => 'user-17', original_key => 'originals/9f/86/9f86d081…', original_bytes => 48213,
--       original_sha256 => '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
--       caption => 'The ferry at dawn', latitude => 47.6026, longitude => -122.3393,
--       idempotency_key => 'upload-1')
create or replace function darkroom.enqueue_upload(
    uploader        darkroom.person,
    original_key    darkroom.media_key default null,
    original_sha256 darkroom.sha256_digits default null,
    original_bytes  darkroom.byte_count default null,
    headline        darkroom.headline default null,
    caption         darkroom.caption default null,
    link            darkroom.link default null,
    category        darkroom.category default null,
    activity        darkroom.activity_name default null,
    latitude        darkroom.latitude default null,
    longitude       darkroom.longitude default null,
    place_text      darkroom.place_text default null,
    taken_at        darkroom.moment default null,
    priority        integer default 0,
    run_at          darkroom.moment default null,
    idempotency_key darkroom.idempotency_key default null,
    queue           darkroom.queue_name default 'default',
    accuracy_m      darkroom.accuracy_m default null,
    location_privacy darkroom.privacy_choice default null,
    place_near_latitude  darkroom.latitude default null,
    place_near_longitude darkroom.longitude default null,
    place_country   darkroom.place_country default null,
    anonymous       boolean default false,
    replaces        bigint default null,
    is_draft        boolean default false,
    venue_id        darkroom.word default null,
    venue_name      darkroom.line default null,
    credit          darkroom.line default null,
    licence         darkroom.line default null
) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    return (darkroom.add_uploads(
        array[row(uploader, original_key, original_sha256, original_bytes, headline, caption, link, category,
                  activity, latitude, longitude, place_text, taken_at, idempotency_key, accuracy_m, location_privacy, place_near_latitude,
                  place_near_longitude, place_country, anonymous, replaces,
                  is_draft, venue_id, venue_name, credit, licence)::darkroom.new_upload],
        queue, priority, run_at))[1];
end $$;
comment on function darkroom.enqueue_upload is
    'Queues one photo for publishing, in the caller''s transaction, and returns its job''s number. The original must '
    'already be in the media store under original_key, with the given SHA-256 (64 hexadecimal digits) and size in '
    'bytes. Without these three, it queues a text: a headline, a caption or a link, at coordinates or a place. latitude and longitude are degrees (WGS 84); give both or neither; accuracy_m is metres. '
    'place_text is used without them; if it may mean several places, place_near_latitude and place_near_longitude (where the '
    'uploader is) and place_country (the uploader''s, ISO 3166-1 alpha-2 in capitals) decide. taken_at is from '
    '1800 to the end of 2199, UTC. Texts are stored in Unicode''s normal form C (NFC). category and activity, which find '
    'posts and select policies, are stored without spaces at their ends. priority is -100 to 100, lower runs first. '
    'venue_name is where it was, such as a restaurant, and venue_id the app''s number of it, for venue_posts; credit says who made the photo, '
    'licence what others may do with it. Readers see them as they are given, also if the position is published coarsely. '
    'Readers of an anonymous post learn neither its uploader nor their name. '
    'replaces is a post of the uploader: it is deleted in the moment in which readers see the new one, and stays if the new one is '
    'rejected; of several uploads that replace the same post, the last one stays. '
    'is_draft keeps it, under the number of its later job, until publish_draft queues it, or cancel_job discards it; the posting policy is asked then. '
    'location_privacy is exact, grid_10m, grid_100m, grid_1km or place: the post is published at least as privately. '
    'The same uploader and idempotency_key return the same job again. Errors: 22023 for an invalid priority, '
    '23514 for a hash, text, link, time or number out of range (the constraint or the type says which) and for what the '
    'posting policy refuses (the constraint''s name is the reason; check_upload tells all of them; if it is the person''s quota, the detail is the number '
    'of seconds until they can go on), 55P03 if there are quotas and another transaction that adds an upload of the person does '
    'not end within half a second, P0002 if the uploader has no post replaces, 23505 if the idempotency '
    'key was used for another photo or text.';
