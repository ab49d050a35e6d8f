create or replace function darkroom.posting_policy_for(of_category text)
returns table (version integer, headline_required boolean, caption_required boolean, category_required boolean,
               categories text[], link_rule text, link_hosts text[], accuracy_at_most_m double precision, pictures_within_m double precision)
language sql stable rows 1 as $$
    select greatest(g.version, o.version), coalesce(o.headline_required, g.headline_required),
           coalesce(o.caption_required, g.caption_required), g.category_required, g.categories, coalesce(o.link, g.link),
           coalesce(o.link_hosts, g.link_hosts), coalesce(o.accuracy_at_most_m, g.accuracy_at_most_m),
           coalesce(o.pictures_within_m, g.pictures_within_m)
    from (select * from darkroom.posting_policies p where p.category is null order by p.version desc limit 1) g
    left join lateral (select * from darkroom.posting_policies p where p.category = darkroom.name_key(of_category)
                       order by p.version desc limit 1) o on true
$$;
comment on function darkroom.posting_policy_for is
    'The posting policy in force for a category. It has no settings, so that the planner inlines it.';
