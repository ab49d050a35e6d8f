create or replace function darkroom.posting_objections(
    headline text, caption text, category text, link text, accuracy_m double precision)
returns table (argument text, reason text, message text)
language sql stable as $$
    select o.argument, o.reason, case o.reason
        when 'headline_missing' then 'A headline is required here. Please add one.'
        when 'caption_missing' then 'A caption is required here. Please add one.'
        when 'category_missing' then 'A category is required here. Please choose one.'
        when 'category_unknown' then
            format('The category “%s” does not exist here. Please choose one of: %s.', category, darkroom.short_list(p.categories))
        when 'link_missing' then 'A link is required here. Please add one.'
        when 'link_refused' then 'Links are not allowed here. Please remove the link.'
        when 'link_host_refused' then
            format('Links to %s are not allowed here. Please link to: %s.',
                   coalesce(nullif(darkroom.host_of(link), ''), 'this address'), darkroom.short_list(p.link_hosts))
        else format('The position is known to %s m only, and must be known to %s m here. Please choose it yourself.',
                    ceil(accuracy_m::numeric), p.accuracy_at_most_m) end
    from darkroom.posting_policy_for(category) p
    cross join lateral (values
        (1, 'headline', 'headline_missing', p.headline_required and headline is null),
        (2, 'caption', 'caption_missing', p.caption_required and caption is null),
        (3, 'category', 'category_missing', p.category_required and category is null),
        (4, 'category', 'category_unknown', category is not null and p.categories is not null
         and not exists (select from unnest(p.categories) c where darkroom.name_key(c) = darkroom.name_key(category))),
        (5, 'link', 'link_missing', p.link_rule = 'required' and link is null),
        (6, 'link', 'link_refused', p.link_rule = 'refused' and link is not null),
        (7, 'link', 'link_host_refused',
         p.link_rule <> 'refused' and not darkroom.is_at_host(darkroom.host_of(link), p.link_hosts)),
        (8, 'accuracy_m', 'location_too_inaccurate', accuracy_m > p.accuracy_at_most_m)
    ) as o (turn, argument, reason, is_broken)
    where o.is_broken order by o.turn
$$;
comment on function darkroom.posting_objections is
    'What the posting policy in force objects to in an upload or post, whose texts are in their stored form: the argument, a '
    'reason for programs and a sentence for the uploader. Every check of the policy is this one.';
