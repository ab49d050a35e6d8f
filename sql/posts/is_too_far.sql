create or replace function darkroom.is_too_far(of_category text, metres double precision) returns boolean
language sql stable as $$
    -- Few installations limit pictures, and the others ask once in a query.
    select case when (select exists (select from darkroom.posting_policies l where l.pictures_within_m is not null))
                then (select p.pictures_within_m is not null and (metres <= p.pictures_within_m) is not true
                      from darkroom.posting_policy_for(of_category) p)
                else false end
$$;
comment on function darkroom.is_too_far is
    'Whether a reader so many metres from a post of this category, or null for one who does not say where they are, may not see its '
    'pictures. It has no settings, so that the planner inlines it.';
