-- Readers cannot decode an infinite time or one before year 1, and its upload would be tried again and again. The oldest
-- photograph was taken about 1826; the clocks of cameras end in 2107 at the latest (FAT), and some are wrong.
create or replace function darkroom.is_photo_time(taken_at timestamptz) returns boolean
language plpgsql immutable strict parallel safe as $$
begin
    return taken_at >= timestamptz '1800-01-01 00:00:00+00' and taken_at < timestamptz '2200-01-01 00:00:00+00';
end $$;
comment on function darkroom.is_photo_time is
    'Whether a time is possible for a photo: from 1800 to the end of 2199, UTC.';
