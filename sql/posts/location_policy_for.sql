-- Replaces: location_policy_for(text, text, integer)
create or replace function darkroom.location_policy_for(category text, activity text)
returns table (version integer, privacy darkroom.location_privacy, minimum_population integer)
language sql stable parallel safe rows 1 as $$
    with latest as (
        select distinct on (p.category, p.activity)
               p.privacy, p.minimum_population, (p.activity is null, p.category is null) as width
        from darkroom.location_policies p
        where (p.activity is null
               or p.activity = any ((select darkroom.activity_keys(location_policy_for.activity))::text[]))
          and (p.category is null or p.category = darkroom.name_key(location_policy_for.category))
        order by p.category, p.activity, p.version desc)
    select (select max(p.version) from darkroom.location_policies p),
           (select l.privacy from latest l where l.privacy is not null order by l.width, l.privacy desc limit 1),
           (select l.minimum_population from latest l where l.minimum_population is not null
            order by l.width, l.minimum_population desc limit 1)
$$;
comment on function darkroom.location_policy_for is
    'The location policy in force for a category and an activity, however they are written. Of '
    'the policies for several names of an activity, the strictest is in force. version is the highest of all policies.';
