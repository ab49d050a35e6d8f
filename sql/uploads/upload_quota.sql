-- May be called by: api
-- Example:
--   select photos_left, bytes_left, more_at from darkroom.upload_quota('user-17')
create or replace function darkroom.upload_quota(uploader darkroom.person)
returns table (photos_a_day integer, photos_left integer, bytes_a_day bigint, bytes_left bigint, more_at timestamptz)
language sql stable rows 1 security definer set search_path = pg_catalog, pg_temp as $$
    select q.photos_a_day, q.photos_left, q.bytes_a_day, q.bytes_left, q.more_at from darkroom.quota_for(uploader, 1, 1) q
$$;
comment on function darkroom.upload_quota is
    'How many photos and bytes a person may upload within 24 hours by the posting policy, and how many are left; null for any '
    'number. If there is no room for a photo now, more_at is when there is; otherwise it is null.';
