-- Replaces: location_policy_for(text, text, integer)
create or replace function darkroom.location_policy_for(category text, activity text)
returns table (version integer, privacy darkroom.location_privacy, minimum_population integer)
language sql stable parallel safe rows 1 as $$
    with latest as (
        select distinct on (k.keys, p.category, p.activity)
               k.keys, p.privacy, p.minimum_population, (p.activity is null, p.category is null) as width
        from darkroom.policy_keys(location_policy_for.activity) k
        join darkroom.location_policies p on p.activity is null or p.activity = any (k.keys)
        where p.category is null or p.category = darkroom.name_key(location_policy_for.category)
        order by k.keys, p.category, p.activity, p.version desc)
    select (select max(p.version) from darkroom.location_policies p),
           (select max(s.privacy) from (
                select distinct on (l.keys) l.privacy from latest l where l.privacy is not null
                order by l.keys, l.width, l.privacy desc) s),
           (select max(s.minimum_population) from (
                select distinct on (l.keys) l.minimum_population from latest l where l.minimum_population is not null
                order by l.keys, l.width, l.minimum_population desc) s)
$$;
comment on function darkroom.location_policy_for is
    'The location policy in force for a category and an activity, however they are written. Of '
    'the policies for several names of an activity, the strictest is in force. version is the highest of all policies.';
