create or replace function darkroom.is_too_far(of_category text, metres double precision) returns boolean
language sql stable as $$
    select coalesce(p.pictures_within_m < 20040000 and (metres <= p.pictures_within_m) is not true, false) from darkroom.posting_policy_for(of_category) p
$$;
comment on function darkroom.is_too_far is
    'Whether a reader so many metres from a post of this category, or null for one who does not say where they are, may not see its '
    'pictures. Half the circumference of the Earth is no limit.';
