-- What a post shows while its picture loads, and formats beside JPEG.

alter table darkroom.posts
    add column placeholder bytea check (octet_length(placeholder) between 5 and 25),
    add column perceptual_hash bigint,
    add column camera_make text,
    add column camera_model text;
comment on column darkroom.posts.placeholder is
    'A ThumbHash (https://evanw.github.io/thumbhash/) of the picture; null in posts of older releases.';
comment on column darkroom.posts.perceptual_hash is
    'The 64 bit DCT hash of the picture; copies differ in few bits. Null in posts of older releases.';
comment on column darkroom.posts.camera_make is
    'As EXIF has it, where the rendering configuration says keep_camera; else null. Likewise camera_model.';

alter table darkroom.renditions
    add column format text not null default 'jpeg' check (format in ('jpeg', 'webp', 'avif'));
