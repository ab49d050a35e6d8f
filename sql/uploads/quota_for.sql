-- The newest uploads are read first, by an index, and no more than the quota has.
create or replace function darkroom.quota_for(
    person text, photos integer, bytes bigint, added bigint[] default '{}',
    out photos_a_day integer, out photos_left integer, out bytes_a_day bigint, out bytes_left bigint,
    out more_at timestamptz, out reason text)
language plpgsql stable set enable_seqscan = off set jit = off set plan_cache_mode = force_generic_plan as $$
declare
    one record;
begin
    select p.photos_a_day, p.bytes_a_day into photos_a_day, bytes_a_day from darkroom.posting_policies p
    where p.category is null order by p.version desc limit 1;
    if num_nonnulls(photos_a_day, bytes_a_day) = 0 then
        return;
    end if;
    photos_left := photos_a_day;
    bytes_left := bytes_a_day;
    -- What is larger than the quota never fits.
    reason := case when photos > photos_left then 'too_many_photos_today' when bytes > bytes_left then 'too_many_bytes_today' end;
    for one in
        select u.created_at, coalesce(u.original_bytes, 0) as bytes from darkroom.uploads u
        where u.uploader = person and u.upload_id <> all (added)
        order by u.upload_id desc limit photos_a_day
    loop
        exit when one.created_at <= now() - interval '24 hours';
        photos_left := photos_left - 1;
        -- Not below -1, since uploads of a time without a quota may have any number of bytes.
        bytes_left := bytes_left - least(one.bytes, bytes_left + 1);
        if reason is null and (photos_left < photos or bytes_left < bytes) then
            -- It fits when this one and all older ones no longer count.
            more_at := one.created_at + interval '24 hours';
            reason := case when photos_left < photos then 'too_many_photos_today' else 'too_many_bytes_today' end;
        end if;
    end loop;
    if bytes_left < 0 then
        bytes_left := 0;
    end if;
end $$;
comment on function darkroom.quota_for is
    'The quotas of the posting policy in force, and what is left of them for a person apart from the uploads `added`; all null '
    'without a quota. If photos or bytes more do not fit, reason says why, and more_at when they do; null for never.';
