create or replace function darkroom.has_bound_names(of_activity text) returns boolean
language sql stable set enable_seqscan = off as $$
    select exists (select from darkroom.activity_names n where n.activity = of_activity and n.name <> of_activity)
       and exists (
            select from darkroom.activity_names n
            where n.activity = of_activity
              and (exists (select from darkroom.location_policies p where p.activity = n.key)
                   or exists (select from darkroom.expiry_policies p where p.activity = n.key)))
$$;
comment on function darkroom.has_bound_names is
    'Whether an activity has aliases and a policy is for one of its names. Posts that had one name have the other now, so only '
    'together do the names say what policies apply to these posts.';
