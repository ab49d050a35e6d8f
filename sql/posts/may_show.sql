-- May be called by: api, reader
-- Replaces: may_show(darkroom.media_key)
-- Example:
--   select darkroom.may_show(media_key => 'renditions/ab/cd/abcd.jpg', viewer => 'user-17')
create or replace function darkroom.may_show(
    media_key darkroom.media_key,
    latitude  darkroom.latitude default null,
    longitude darkroom.longitude default null,
    radius_m  darkroom.metres default null,
    viewer    darkroom.person default null
) returns boolean
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
    sought text := $1;
    owner  text := case when $5 is not null and darkroom.votes_for_people() then $5 end;
begin
    -- No key is longer, and comparing a text of a gigabyte with keys would take time.
    if sought is null or octet_length(sought) > 1024 then
        return false;
    end if;
    if num_nonnulls($2, $3, $4) > 0 then
        perform darkroom.check_coordinate($2, $3);
    end if;
    return exists (
        select from (select r.post_id from darkroom.renditions r where r.media_key = sought
                     union all
                     select m.post_id from darkroom.retired_media m where m.media_key = sought and m.due_at > now()) k
        join darkroom.posts p using (post_id)
        where p.state = 'published' and (p.expires_at is null or p.expires_at > now())
              and ($4 is null or darkroom.distance_m($2, $3, p.latitude, p.longitude) <= $4)
              and not darkroom.is_too_far(
                      p.category, case when $2 is not null then darkroom.distance_m($2, $3, p.latitude, p.longitude) end)
              and (p.uploader <> $5 and p.author_handle in (select darkroom.blocked_handles($5))) is not true
           -- The uploader sees what uploader_posts lists.
           or p.uploader = owner
              and not exists (select from darkroom.post_erasures e where e.post_id = p.post_id and e.cause in ('uploader', 'person')));
end $$;
comment on function darkroom.may_show is
    'Whether the file with this key in the media store is a picture of a post that readers see now, or one that a '
    're-rendering of such a post replaced less than settings.rendition_grace ago. False for originals, for pictures of '
    'posts that are held, hidden, removed, expired or erased, and for anything else. Also false if the posting policy shows pictures only '
    'to those nearby, and latitude and longitude, in degrees, are not given or too far from the published location; and if that is '
    'farther than radius_m (metres). A viewer may see the pictures of their own posts '
    'in every state and from everywhere, and none of authors whom they have blocked. Errors: 22023 for half a coordinate, or a radius without one.';
