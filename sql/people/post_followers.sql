-- May be called by: api
-- Example:
--   select person from darkroom.post_followers(post_id => 1, at_most => 1000)
create or replace function darkroom.post_followers(post_id bigint, at_most bigint default 100, after darkroom.person default null)
returns table (person text)
language plpgsql stable rows 100 security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off
set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
    wanted integer := least(1000, greatest(1, coalesce($2, 100)));
    world  constant double precision := 67108864;
    post   record;
begin
    select f.*, p.uploader into post
    from darkroom.feed f join darkroom.posts p on p.post_id = f.post_id where f.post_id = $1 and f.expires_at > now();
    if not found then
        return;
    end if;
    return query
    select distinct w.person
    from (select o.* from (values ('country', post.country), ('division', post.division), ('city', post.city), ('place', post.place))
                           as k (level, geonameid)
          cross join lateral (
              select o.person from darkroom.follows o
              where o.geonameid = k.geonameid and o.level = k.level and o.person > coalesce($3, '')
                and (o.category is null or darkroom.name_key(o.category) = post.category)
                and o.person <> post.uploader
                and not exists (select from darkroom.blocks b where b.person = o.person and b.author_handle = post.author_handle)
              -- A person has one of all categories and one of this category at most.
              order by o.person limit 2 * wanted) o
          union all
          -- The box of an area beyond 180 degrees finds posts on the other side.
          select o.person from (values (0), (world), (-world)) as s (shift)
          join darkroom.follows o on o.area @> box(post.position + point(s.shift, 0), post.position + point(s.shift, 0))
          where darkroom.point_distance_m(o.latitude, o.longitude, post.position) <= o.radius_m and o.person > coalesce($3, '')
            and (o.category is null or darkroom.name_key(o.category) = post.category)
            and o.person <> post.uploader
            and not exists (select from darkroom.blocks b where b.person = o.person and b.author_handle = post.author_handle)) w
    order by w.person limit wanted;
end $$;
comment on function darkroom.post_followers is
    'Who follows a place or area in which a post is that readers see, by name: for push messages after the event published. Its '
    'uploader and those who have blocked its author are left out. at_most is 1 to 1000 (values outside are clamped). after is the last person of the page '
    'before.';
