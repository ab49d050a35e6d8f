-- May be called by: api, reader
-- Replaces: may_show(darkroom.media_key)
-- Example:
--   select darkroom.may_show(media_key => 'renditions/ab/cd/abcd.jpg')
create or replace function darkroom.may_show(
    media_key darkroom.media_key,
    latitude  darkroom.latitude default null,
    longitude darkroom.longitude default null,
    radius_m  darkroom.metres default null
) returns boolean
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
    sought text := $1;
begin
    -- No key is longer, and comparing a text of a gigabyte with keys would take time.
    if sought is null or octet_length(sought) > 1024 then
        return false;
    end if;
    if num_nonnulls($2, $3, $4) > 0 then
        perform darkroom.check_coordinate($2, $3);
        if $4 is null then
            raise exception using errcode = 'invalid_parameter_value', message = 'a coordinate needs a radius',
                hint = 'Give latitude, longitude and radius_m, or none of them.';
        end if;
    end if;
    return exists (
            select from darkroom.renditions r join darkroom.posts p using (post_id)
            where r.media_key = sought and p.state = 'published' and (p.expires_at is null or p.expires_at > now())
              and ($4 is null or darkroom.distance_m($2, $3, p.latitude, p.longitude) <= $4))
        or exists (
            select from darkroom.retired_media m join darkroom.posts p using (post_id)
            where m.media_key = sought and m.due_at > now()
              and p.state = 'published' and (p.expires_at is null or p.expires_at > now())
              and ($4 is null or darkroom.distance_m($2, $3, p.latitude, p.longitude) <= $4));
end $$;
comment on function darkroom.may_show is
    'Whether the file with this key in the media store is a picture of a post that readers see now, or one that a '
    're-rendering of such a post replaced less than settings.rendition_grace ago. False for originals, for pictures of '
    'posts that are held, hidden, removed, expired or erased, and for anything else. With radius_m (metres), also false for a post '
    'whose published location is farther than that from latitude and longitude, in degrees. Errors: 22023 for some but not all '
    'of the three.';
