create or replace function darkroom.policy_keys(name text) returns table (keys text[])
language sql stable parallel safe rows 1 as $$
    select array_agg(o.key)
    from (select darkroom.name_key(name)) k (own)
    left join darkroom.activity_names n on n.key = k.own
    left join darkroom.activities a using (activity)
    cross join lateral (
        select t.key from darkroom.activity_names t where t.activity = n.activity
        union all
        select k.own where n.key is null) o
    group by case when not a.by_operator then o.key end
$$;
comment on function darkroom.policy_keys is
    'The keys of the names whose policies apply to a post with a name as its activity, and of several rows the strictest policy is '
    'in force. All names that an operator gave to an activity are one row: a policy for any of them is one for all. Each name that '
    'an app gave is a row of its own, so that an app can make the policy for a name stricter, but not replace it by that of another name.';
