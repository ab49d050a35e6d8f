create or replace function darkroom.activity_keys(name text) returns text[]
language sql stable parallel safe as $$
    select array(select o.key from darkroom.activity_names n join darkroom.activity_names o using (activity)
                 where n.key = k.own) || k.own
    from (select darkroom.name_key(name)) k (own)
$$;
comment on function darkroom.activity_keys is
    'The keys of all names of the activity that has a name, and that of the name itself: a policy for any of them is one for '
    'the activity. An app can make the name that a policy has an alias of another activity, and must not end the policy so.';
