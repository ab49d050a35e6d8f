-- The uploader may have asked for more privacy than any policy, so the level of the row counts.
create or replace function darkroom.is_located_too_exactly(of_post bigint) returns boolean
language sql stable as $$
    select exists (
        select from darkroom.posts p
        cross join lateral darkroom.location_policy_for(p.category, p.activity) present
        where p.post_id = of_post and p.place_source = 'gazetteer' and p.location_policy < present.version
          and (present.privacy > p.location_privacy
               or present.minimum_population > p.minimum_population))
$$;
comment on function darkroom.is_located_too_exactly is
    'Whether a stricter location policy is in force for a post than the one under which its location was published, so '
    'that it must be relocated before readers see it. False if a person corrected its place, as no relocation changes it.';
