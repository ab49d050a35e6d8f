create or replace function darkroom.show_posts(
    feed text, ids bigint[], keys double precision[], distances double precision[], viewer text, at_most integer default null
) returns setof darkroom.feed_post
language sql stable rows 20 as $$
    select p.post_id, p.published_at, case when not p.anonymous and (select darkroom.votes_for_people()) then p.uploader end,
           case when not p.anonymous then (select w.display_name from darkroom.people w where w.person = p.uploader) end,
           p.author_handle, p.anonymous, p.headline, p.caption, p.link,
           p.category, p.activity, p.venue_id, p.venue_name, p.credit, p.licence, p.taken_at, p.taken_at_local, p.time_zone, p.latitude, p.longitude,
           p.location_precision, p.location_accuracy_m, case when p.location_privacy = 'exact' then p.direction end,
           case when p.location_privacy = 'exact' then p.altitude_m end,
           p.country_geonameid, p.country_code, p.country_name, p.division_geonameid, p.division_code, p.division_name,
           p.city_geonameid, p.city_name, p.place_geonameid, p.place_name, p.width, p.height, case when not f.is_far then p.placeholder end, case when f.is_far then '[]' else p.pictures end, coalesce(c.likes, 0), coalesce(c.dislikes, 0),
           case when viewer is null or not exists (select from darkroom.blocked_handles(viewer)) then coalesce(c.comments, 0)
                -- The details of a post add what is not tallied yet.
                when feed = 'post' then coalesce(c.comments, 0) - darkroom.blocked_comments(viewer, p.post_id, coalesce(c.comments, 0))
                when c.comments > 0 then greatest(0, c.comments - darkroom.blocked_comments(viewer, p.post_id, c.comments))
                else 0 end,
           coalesce(c.views, 0),
           case when viewer is not null then (select darkroom.votes_of(viewer, ids))[i.number] end,
           distances[i.number], keys[i.number], feed || ':' || keys[i.number]::text || '~' || p.post_id
    from unnest(ids) with ordinality as i (post_id, number)
    join darkroom.posts p using (post_id)
    left join darkroom.post_counters c using (post_id)
    cross join lateral (
        -- Few installations limit pictures; the others find that out once in a query.
        select (select exists (select from darkroom.posting_policies l where l.pictures_within_m is not null))
               and darkroom.is_too_far(p.category, distances[i.number])
               and (p.uploader = viewer and (select darkroom.votes_for_people())) is not true as is_far) f
    where p.state = 'published' and (p.expires_at is null or p.expires_at > now())
      and (p.uploader <> viewer and p.author_handle in (select darkroom.blocked_handles(viewer))) is not true
    order by i.number limit at_most
$$;
comment on function darkroom.show_posts is
    'The rows of a feed for post numbers, in their order and at most so many, with the feed''s keys, distances in metres, cursors that '
    'carry its name, and the viewer''s own votes if the caller acts for people. Leaves out posts that cannot be seen, and those '
    'of authors whom the viewer has blocked: a list then goes on with its next page until it has enough. '
    'Those that are too far for their pictures come without them, but to their uploaders. It has no settings, so '
    'that the planner inlines it.';
