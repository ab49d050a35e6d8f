-- What came in (uploads) and what readers see (posts).

create table darkroom.uploads (
    upload_id       bigint generated always as identity primary key,
    uploader        text not null
                    constraint uploader_is_1_to_200_characters check (char_length(uploader) between 1 and 200),
    idempotency_key text
                    constraint idempotency_key_is_1_to_200_characters
                    check (char_length(idempotency_key) between 1 and 200),
    job_id          bigint not null,
    original_key    text not null
                    constraint original_key_is_1_to_1024_characters
                    check (char_length(original_key) between 1 and 1024),
    original_sha256 bytea not null
                    constraint original_sha256_is_32_bytes check (octet_length(original_sha256) = 32),
    original_bytes  bigint not null
                    constraint original_bytes_is_not_negative check (original_bytes >= 0),
    headline        text constraint headline_is_at_most_200_characters check (char_length(headline) <= 200),
    caption         text constraint caption_is_at_most_5000_characters check (char_length(caption) <= 5000),
    link            text
                    constraint link_is_an_http_url_of_at_most_2000_characters
                    check (link ~ '^https?://[^\s/]+\S*$' and char_length(link) <= 2000),
    category        text constraint category_is_at_most_100_characters check (char_length(category) <= 100),
    event           text constraint event_is_at_most_100_characters check (char_length(event) <= 100),
    latitude        double precision
                    constraint latitude_is_within_90_degrees check (latitude between -90 and 90),
    longitude       double precision
                    constraint longitude_is_within_180_degrees check (longitude between -180 and 180),
    place_text      text constraint place_is_at_most_200_characters check (char_length(place_text) <= 200),
    taken_at        timestamptz,
    created_at      timestamptz not null default now(),
    constraint latitude_and_longitude_go_together check ((latitude is null) = (longitude is null))
);
comment on table darkroom.uploads is
    'One photo with what its uploader said of it. The bytes are in the media store, under original_key.';
create unique index uploads_idempotency on darkroom.uploads (uploader, idempotency_key)
    where idempotency_key is not null;

create type darkroom.post_state as enum ('published', 'held', 'hidden', 'removed', 'expired');

create table darkroom.posts (
    post_id           bigint generated always as identity primary key,
    upload_id         bigint not null references darkroom.uploads,
    state             darkroom.post_state not null default 'published',
    uploader          text not null,
    headline          text,
    caption           text,
    link              text,
    category          text,
    event             text,
    taken_at          timestamptz,
    taken_at_local    timestamp,
    taken_at_source   text check (taken_at_source in ('uploader', 'exif')),
    published_at      timestamptz not null default now(),
    latitude          double precision not null check (latitude between -90 and 90),
    longitude         double precision not null check (longitude between -180 and 180),
    location_source   text not null check (location_source in ('device', 'exif', 'xmp', 'text')),
    country_code      text,
    country_name      text,
    admin1_code       text,
    admin1_name       text,
    place_geonameid   bigint,
    place_name        text,
    place_distance_m  double precision check (place_distance_m >= 0),
    width             integer not null check (width > 0),
    height            integer not null check (height > 0),
    format            text not null,
    stripped          text[] not null default '{}',
    report_count      integer not null default 0 check (report_count >= 0),
    constraint one_post_an_upload unique (upload_id)
);
comment on table darkroom.posts is
    'What readers see. width and height are the upright original''s; stripped names the metadata it carried. taken_at_local is the camera''s own clock reading, kept also where no offset makes it an instant.';
create index posts_latest on darkroom.posts (published_at desc, post_id desc) where state = 'published';
create index posts_uploader on darkroom.posts (uploader, post_id desc);
create index posts_place on darkroom.posts (place_geonameid, post_id desc) where state = 'published';

create table darkroom.renditions (
    post_id   bigint not null references darkroom.posts on delete cascade,
    name      text not null,
    media_key text not null,
    sha256    bytea not null check (octet_length(sha256) = 32),
    width     integer not null check (width > 0),
    height    integer not null check (height > 0),
    bytes     bigint not null check (bytes > 0),
    primary key (post_id, name)
);
comment on table darkroom.renditions is
    'The pictures of a post. media_key is a path in the media store, named by the SHA-256 of the bytes, so two posts may share one.';
create index renditions_key on darkroom.renditions (media_key);

create table darkroom.outbox (
    event_id    bigint generated always as identity primary key,
    post_id     bigint not null,
    event       text not null check (event in ('published', 'hidden', 'restored', 'removed', 'expired')),
    occurred_at timestamptz not null default now()
);
comment on table darkroom.outbox is
    'What happened to posts, for push notifications: written in the transaction that caused it.';
