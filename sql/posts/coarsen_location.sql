-- Readers must not see for a moment what the policy hides, and only a worker has the gazetteer. So this publishes at once what needs
-- none, and the job that it queues names the place again.
create or replace function darkroom.coarsen_location(of_post bigint) returns boolean
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    known record;
begin
    select present.privacy, present.population, coalesce(c.centre_latitude, exact.latitude) as latitude,
           coalesce(c.centre_longitude, exact.longitude) as longitude,
           exact.latitude as exact_latitude, exact.longitude as exact_longitude,
           -- The middle of a country or division is nobody's position, and the name of a typed place tells where that is.
           p.location_precision not in ('division', 'country')
               and (p.typed_geonameid is null or present.population > p.minimum_population) as is_too_exact
    into known
    from darkroom.posts p
    left join darkroom.post_exact_locations e using (post_id)
    cross join lateral (select coalesce(e.latitude, p.latitude) as latitude,
                               coalesce(e.longitude, p.longitude) as longitude) exact
    cross join lateral darkroom.location_policy_for(p.category, p.activity) l
    cross join lateral (select greatest(l.privacy, p.location_privacy) as privacy,
                               greatest(l.minimum_population, p.minimum_population) as population) present
    -- At the level place, as where no place is known.
    cross join lateral darkroom.grid_centre(
        exact.latitude, exact.longitude,
        case present.privacy when 'grid_10m' then 10 when 'grid_100m' then 100 when 'grid_1km' then 1000
                             when 'place' then 100000 end) c
    where p.post_id = of_post and p.state <> 'expired' and p.place_source = 'gazetteer'
      and (l.privacy > p.location_privacy or l.minimum_population > p.minimum_population);
    if not found then
        return false;
    end if;
    insert into darkroom.post_exact_locations (post_id, latitude, longitude)
    values (of_post, known.exact_latitude, known.exact_longitude) on conflict do nothing;
    if known.is_too_exact then
        -- The city and its sections are those of the coordinates that were published so far.
        update darkroom.posts p
        set latitude = known.latitude, longitude = known.longitude, city_geonameid = null, city_name = null,
            place_geonameid = null, place_name = null, place_distance_m = null, location_policy = 0,
            location_privacy = known.privacy, minimum_population = known.population
        where p.post_id = of_post;
    else
        update darkroom.posts p
        set location_policy = 0, location_privacy = known.privacy, minimum_population = known.population
        where p.post_id = of_post;
    end if;
    perform darkroom.enqueue_once('relocate', of_post, 'relocate', of_post, 'default', -5);
    return true;
end $$;
comment on function darkroom.coarsen_location is
    'If a stricter location policy is in force for a post than the one under which its location was published: publishes its '
    'coordinates as coarsely as that policy wants, without a place or city, until the job that this queues has named them '
    'again. Leaves posts whose place a person corrected. Returns whether a stricter policy is in force.';
