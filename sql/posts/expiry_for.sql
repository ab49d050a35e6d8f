-- Days and months of a lifetime are those of UTC, whatever the time zone of the session. PL/pgSQL keeps the plan for the
-- session; planning each call would take a tenth of publishing.
create or replace function darkroom.expiry_for(category text, activity text, published_at timestamptz) returns timestamptz
language plpgsql stable set jit = off as $$
#variable_conflict use_variable
declare
    activity_key constant text := darkroom.name_key(activity);
    category_key constant text := darkroom.name_key(category);
begin
    return (
        select min(one.ending)
        from darkroom.policy_keys(activity) k
        cross join lateral (
            select least((published_at at time zone 'UTC' + p.lifetime) at time zone 'UTC',
                         case when p.ends_with_activity then (
                             select e.ends_at from darkroom.activities e
                             join darkroom.activity_names n using (activity) where n.key = activity_key) end) as ending
            from darkroom.expiry_policies p
            where (p.activity is null or p.activity = any (k.keys)) and (p.category is null or p.category = category_key)
            order by p.activity is null, p.category is null, p.version desc limit 1) one);
end $$;
comment on function darkroom.expiry_for is
    'When a post that is published at a time expires, by the policy in force for its category and activity, '
    'however they are written; null for never. Of the policies for several names that an app gave to an activity, the one that ends '
    'first is in force. Days and months are those of UTC.';
