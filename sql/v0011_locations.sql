-- Where posts say that they are: how sure that is, how exactly it is published, and what named the place.

create type darkroom.location_privacy as enum ('exact', 'grid_10m', 'grid_100m', 'grid_1km', 'place');
comment on type darkroom.location_privacy is
    'How exactly a location is published, from the most to the least exactly: as it is, as the centre of a grid''s cell, or as the named place alone.';

-- What the uploader says. The columns come without values, so nothing is rewritten.

alter table darkroom.uploads
    add column accuracy_m double precision
        constraint accuracy_is_above_0_and_at_most_1000000_metres
        check (accuracy_m > 0 and accuracy_m <= 1000000),
    add column location_privacy darkroom.location_privacy,
    add constraint accuracy_goes_with_coordinates check (accuracy_m is null or latitude is not null);
comment on column darkroom.uploads.accuracy_m is
    'The radius, in metres, within which the device believed itself to be; null where it did not say.';
comment on column darkroom.uploads.location_privacy is
    'What the uploader asked for: the post is published at least as privately. Null for what the policy says.';

alter type darkroom.new_upload
    add attribute accuracy_m double precision,
    add attribute location_privacy darkroom.location_privacy;

drop function darkroom.enqueue_upload(
    text, text, text, bigint, text, text, text, text, text, double precision, double precision, text, timestamptz,
    integer, timestamptz, text, text);

create or replace function darkroom.enqueue_uploads(
    uploads  darkroom.new_upload[],
    queue    text default 'default',
    priority integer default 0,
    run_at   timestamptz default null
) returns bigint[]
language plpgsql as $$
#variable_conflict use_variable
declare
    bad       text;
    clash     record;
    new_jobs  bigint[];
    new_rows  bigint[];
    new_keys  text[];
    all_jobs  bigint[];
begin
    select coalesce(u.original_sha256, 'null') into bad
    from unnest(uploads) u
    where u.original_sha256 is null or u.original_sha256 !~ '^[0-9a-fA-F]{64}$' limit 1;
    if found then
        raise exception using errcode = 'invalid_parameter_value',
            message = format('original_sha256 is not 64 hexadecimal digits: %s', left(bad, 80)),
            hint = 'Give the SHA-256 of the original''s bytes in hexadecimal.';
    end if;
    -- Says what is wrong with the priority before anything is written.
    perform darkroom.lane_of(queue, 'ingest', priority);

    all_jobs := array(select nextval('darkroom.jobs_job_id_seq') from generate_series(1, cardinality(uploads)));
    -- Two callers with one idempotency key wait for each other here; the second adds nothing.
    with made as (
        insert into darkroom.uploads (
            uploader, idempotency_key, job_id, original_key, original_sha256, original_bytes,
            headline, caption, link, category, event, latitude, longitude, place_text, taken_at, accuracy_m,
            location_privacy)
        select u.uploader, u.idempotency_key, j.job_id, u.original_key, decode(u.original_sha256, 'hex'),
               u.original_bytes, u.headline, u.caption, u.link, u.category, u.event, u.latitude, u.longitude,
               u.place, u.taken_at, u.accuracy_m, u.location_privacy
        from unnest(uploads) with ordinality u
        join unnest(all_jobs) with ordinality j (job_id, ordinality) using (ordinality)
        order by ordinality
        on conflict (uploader, idempotency_key) where idempotency_key is not null do nothing
        returning upload_id, job_id, uploader)
    select array_agg(upload_id order by job_id), array_agg(job_id order by job_id),
           array_agg(made.uploader order by job_id)
    into new_rows, new_jobs, new_keys from made;

    if coalesce(cardinality(new_jobs), 0) < cardinality(uploads) then
        select g.idempotency_key, k.job_id into clash
        from unnest(uploads) g
        join darkroom.uploads k on k.uploader = g.uploader and k.idempotency_key = g.idempotency_key
        where k.original_sha256 <> decode(g.original_sha256, 'hex') limit 1;
        if found then
            raise exception using errcode = 'unique_violation',
                constraint = 'uploads_idempotency',
                message = format('idempotency key %L was used for another photo (job %s)',
                                 clash.idempotency_key, clash.job_id),
                hint = 'Use a new key for a new photo, or the same photo for a repeated call.';
        end if;
        select array_agg(coalesce(k.job_id, j.job_id) order by ordinality) into all_jobs
        from unnest(uploads) with ordinality g
        join unnest(all_jobs) with ordinality j (job_id, ordinality) using (ordinality)
        left join darkroom.uploads k on k.uploader = g.uploader and k.idempotency_key = g.idempotency_key;
    end if;
    if new_jobs is not null then
        perform darkroom.enqueue_jobs('ingest', new_rows, new_keys, queue, priority, run_at, new_jobs);
    end if;
    return all_jobs;
end $$;
create function darkroom.enqueue_upload(
    uploader        text,
    original_key    text,
    original_sha256 text,
    original_bytes  bigint,
    headline        text default null,
    caption         text default null,
    link            text default null,
    category        text default null,
    event           text default null,
    latitude        double precision default null,
    longitude       double precision default null,
    place           text default null,
    taken_at        timestamptz default null,
    priority        integer default 0,
    run_at          timestamptz default null,
    idempotency_key text default null,
    queue           text default 'default',
    accuracy_m      double precision default null,
    location_privacy darkroom.location_privacy default null
) returns bigint
language sql as $$
    select (darkroom.enqueue_uploads(
        array[row(uploader, original_key, original_sha256, original_bytes, headline, caption, link, category,
                  event, latitude, longitude, place, taken_at, idempotency_key, accuracy_m, location_privacy)::darkroom.new_upload],
        queue, priority, run_at))[1]
$$;
comment on function darkroom.enqueue_upload is
    'Queues one photo for publishing, in the caller''s transaction, and answers its job id. The original must already be in the media store. The same uploader and idempotency_key give the same job id again.';

-- What is published.

create table darkroom.location_policies (
    version            integer generated always as identity primary key,
    category           text,
    event              text,
    privacy            darkroom.location_privacy,
    minimum_population integer
                       constraint minimum_population_is_not_negative check (minimum_population >= 0),
    note               text not null,
    created_at         timestamptz not null default now(),
    constraint a_location_policy_is_of_a_category_or_an_event_or_general check (num_nonnulls(category, event) <= 1),
    constraint a_general_location_policy_says_privacy_and_minimum_population check (
        num_nonnulls(category, event) >= 1 or num_nonnulls(privacy, minimum_population) = 2)
);
comment on table darkroom.location_policies is
    'Append a row to change the policy, at once and without a restart. In force for a post is the latest row of its event, where that says nothing the latest of its category, and then the latest general one.';
comment on column darkroom.location_policies.privacy is 'Null, of a category or event: as the wider policy says.';
comment on column darkroom.location_policies.minimum_population is
    'A smaller place gives way to the nearest one of so many people in its division, or country, within 100 km. Null, of a category or event: as the wider policy says.';
insert into darkroom.location_policies (privacy, minimum_population, note)
values ('grid_10m', 0, 'Default: the centre of a cell of 10 m, and the nearest place of whatever size.');

create function darkroom.location_policy_for(category text, event text)
returns table (version integer, privacy darkroom.location_privacy, minimum_population integer)
language sql stable parallel safe rows 1 as $$
    with latest as (
        select distinct on (p.category, p.event)
               p.privacy, p.minimum_population, (p.event is null, p.category is null) as width
        from darkroom.location_policies p
        where (p.event is null or p.event = location_policy_for.event)
          and (p.category is null or p.category = location_policy_for.category)
        order by p.category, p.event, p.version desc)
    select (select max(p.version) from darkroom.location_policies p),
           (select l.privacy from latest l where l.privacy is not null order by l.width limit 1),
           (select l.minimum_population from latest l where l.minimum_population is not null
            order by l.width limit 1)
$$;
comment on function darkroom.location_policy_for is
    'The location policy in force for a category and an event. version is the highest of all policies.';

-- The same rule as CoordinateGrid of the workers, which says where it comes from. It is not strict and answers a
-- table so that statements over many rows take it in whole: as a call it is twenty times slower.
create function darkroom.grid_centre(latitude double precision, longitude double precision, cell_m double precision)
returns table (centre_latitude double precision, centre_longitude double precision)
language sql immutable parallel safe rows 1 as $$
    select case when c.is_pole then c.latitude else round(c.latitude * 1e7) / 1e7 end,
           case when c.is_pole then 0
                else round((((case when g.col >= c.cols then 0 else g.col end) + 0.5::float8) / c.cols * 360 - 180)
                           * 1e7) / 1e7 end
    from (select ceil(pi() * 6371008.8::float8 / cell_m) as n) r,
         lateral (select floor(($1 + 90) / 180 * r.n + 0.5::float8) as k) k,
         lateral (select k.k / r.n * 180 - 90 as latitude, k.k = 0 or k.k = r.n as is_pole,
                         ceil(2 * pi() * 6371008.8::float8
                              * cos(greatest(abs(k.k / r.n * 180 - 90) - 90 / r.n, 0)
                                    * 0.017453292519943295::float8) / cell_m) as cols) c,
         lateral (select floor(($2 + 180) / 360 * c.cols) as col) g
$$;
comment on function darkroom.grid_centre is
    'The centre of the cell, of about cell_m by cell_m metres, that holds a point. The same for every point of a cell, and its own centre.';

create table darkroom.post_exact_locations (
    post_id   bigint primary key,
    latitude  double precision not null
              constraint exact_latitude_is_within_90_degrees check (latitude between -90 and 90),
    longitude double precision not null
              constraint exact_longitude_is_within_180_degrees check (longitude between -180 and 180)
);
comment on table darkroom.post_exact_locations is
    'Where posts really are, as exactly as was said. Readers get posts.latitude and longitude instead: grant nobody this table who need not know.';

-- Posts of older releases show where they are: from here on they do not. Readers go on meanwhile, and those who
-- publish wait. The foreign key comes last, as it checks many rows faster together.
lock table darkroom.posts in share row exclusive mode;
insert into darkroom.post_exact_locations select post_id, latitude, longitude from darkroom.posts;
update darkroom.posts p
set latitude = g.centre_latitude, longitude = g.centre_longitude,
    -- Told to the metre, the distances from a place would give away what the cell hides.
    place_distance_m = round(p.place_distance_m / 10) * 10
from darkroom.post_exact_locations e, lateral darkroom.grid_centre(e.latitude, e.longitude, 10) g
where e.post_id = p.post_id;
alter table darkroom.post_exact_locations
    add foreign key (post_id) references darkroom.posts on delete cascade;

-- Defaults for the posts that are there cost no rewriting; then those for posts that workers of older releases may
-- still publish, which are exact.
alter table darkroom.posts
    add column location_accuracy_m double precision
        check (location_accuracy_m > 0 and location_accuracy_m <= 1000000),
    add column location_precision text not null default 'point'
        check (location_precision in ('point', 'area', 'place')),
    add column location_privacy darkroom.location_privacy not null default 'grid_10m',
    add column location_policy integer not null default 1,
    add column place_source text not null default 'gazetteer' check (place_source in ('gazetteer', 'person')),
    add column located_by bigint not null default 0,
    drop constraint posts_location_source_check,
    add constraint posts_location_source_check
        check (location_source in ('device', 'exif', 'xmp', 'text', 'person'));
alter table darkroom.posts
    alter column location_privacy set default 'exact',
    alter column location_policy set default 0;
update darkroom.posts set location_precision = 'place' where location_source = 'text';

comment on column darkroom.posts.latitude is
    'As published: see location_privacy. The exact one is in post_exact_locations. Likewise longitude.';
comment on column darkroom.posts.place_distance_m is 'From the published coordinates to the place.';
comment on column darkroom.posts.location_accuracy_m is
    'The radius, in metres, within which the device or camera believed itself to be; null where it did not say.';
comment on column darkroom.posts.location_precision is
    'How well the location is known: point, or nothing says otherwise; area, to more than 100 m; place, a place that the uploader typed.';
comment on column darkroom.posts.location_privacy is
    'How exactly latitude and longitude are published. Never lowered once published.';
comment on column darkroom.posts.location_policy is
    'The highest version of location_policies when the location was published; 0 where a release without them did.';
comment on column darkroom.posts.place_source is
    'gazetteer, or person where somebody corrected the place: see place_corrections.';
comment on column darkroom.posts.located_by is
    'The checksum of the gazetteer''s index that named the place, as a signed number; 0 for that of an older release.';

-- What a relocation looks for: posts that may be seen and that another index or policy located.
create index posts_located on darkroom.posts (located_by, location_policy, post_id)
    where state in ('published', 'held', 'hidden') and place_source = 'gazetteer';

create table darkroom.place_corrections (
    correction_id       bigint generated always as identity primary key,
    post_id             bigint not null references darkroom.posts on delete cascade,
    corrected_by        text not null
                        constraint corrected_by_is_1_to_200_characters
                        check (char_length(corrected_by) between 1 and 200),
    note                text constraint note_is_at_most_2000_characters check (char_length(note) <= 2000),
    place_text          text,
    latitude            double precision,
    longitude           double precision,
    old_country_code    text,
    old_place_geonameid bigint,
    old_place_name      text,
    new_country_code    text,
    new_place_geonameid bigint,
    new_place_name      text,
    corrected_at        timestamptz not null default now(),
    constraint a_correction_says_a_place_or_coordinates check (num_nonnulls(place_text, latitude) = 1),
    constraint latitude_and_longitude_go_together check ((latitude is null) = (longitude is null))
);
comment on table darkroom.place_corrections is
    'Who said where a post is, against the gazetteer or the photo: when, why, and what it was before. Append only.';
create index place_corrections_post on darkroom.place_corrections (post_id, correction_id desc);
