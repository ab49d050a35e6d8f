-- Times. An infinite one, or one before Christ, is none to whoever reads it, and the upload was tried again and again.
-- The oldest photograph there is was taken about 1826; cameras' clocks end in 2107 at the latest (FAT's), and some go wrong.
create or replace function darkroom.is_photo_time(taken_at timestamptz) returns boolean
language sql immutable parallel safe
return taken_at >= timestamptz '1800-01-01 00:00:00+00' and taken_at < timestamptz '2200-01-01 00:00:00+00';
comment on function darkroom.is_photo_time is
    'Whether a photo can be said to be of a time: from 1800 to the end of 2199, of UTC.';
