create or replace function darkroom.sync_feed() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off
set plan_cache_mode = force_generic_plan as $$
declare
    x double precision;
    y double precision;
    category_key constant text := case when tg_op <> 'DELETE' then darkroom.name_key(new.category) end;
    activity_key constant text := case when tg_op <> 'DELETE' then darkroom.name_key(new.activity) end;
    stacks record;
    was_there constant boolean := tg_op <> 'INSERT' and old.state = 'published';
    is_there  constant boolean := tg_op <> 'DELETE' and new.state = 'published';
    stays     constant boolean := was_there and is_there
        and (new.latitude, new.longitude, new.category, new.activity)
            is not distinct from (old.latitude, old.longitude, old.category, old.activity);
begin
    if was_there and not stays then
        perform darkroom.leave_feed(old.post_id);
    end if;
    if not is_there then
        return null;
    end if;
    if stays then
        update darkroom.feed f
        set published_at = new.published_at, expires_at = coalesce(new.expires_at, 'infinity'),
            country = new.country_geonameid, division = new.division_geonameid, city = new.city_geonameid,
            place = new.place_geonameid, author_handle = new.author_handle, taken_at = new.taken_at,
            taken_hour = extract(hour from new.taken_at_local), taken_season = darkroom.season_of(new.taken_at_local, new.latitude)
        where f.post_id = new.post_id;
    else
        if tg_op = 'UPDATE' and not was_there then
            insert into darkroom.post_counters as c (post_id) values (new.post_id)
            on conflict (post_id) do update set views = c.views;
            -- Locks the row if it is there, so that notify_of_likes does not take it away for want of a post in the feed.
            insert into darkroom.untold_likes as u (post_id, due_at)
            select c.post_id, now() from darkroom.post_counters c
            where c.post_id = new.post_id and c.likes_by_others > c.likes_told
            on conflict (post_id) do update set due_at = u.due_at;
        end if;
        x := darkroom.plane_x(new.longitude);
        y := darkroom.plane_y(new.latitude);
        stacks := darkroom.full_stacks(point(x, y), category_key, activity_key);
        insert into darkroom.feed (
            post_id, published_at, expires_at, position, tile, wide_tile, country, division, city, place, category, activity,
            author_handle, taken_at, taken_hour, taken_season, is_stacked, is_stacked_in_category, is_stacked_in_activity)
        values (new.post_id, new.published_at, coalesce(new.expires_at, 'infinity'), point(x, y),
                darkroom.tile_at(x, y, 15), darkroom.tile_at(x, y, 11), new.country_geonameid, new.division_geonameid,
                new.city_geonameid, new.place_geonameid, category_key, activity_key,
                new.author_handle, new.taken_at,
                extract(hour from new.taken_at_local), darkroom.season_of(new.taken_at_local, new.latitude),
                stacks.of_all, stacks.of_category, stacks.of_activity);
        -- Posts below may leave before this one can be seen.
        if stacks.of_all or stacks.of_category or stacks.of_activity then
            insert into darkroom.stack_changes (position, category, activity) values (point(x, y), category_key, activity_key);
        end if;
        insert into darkroom.map_changes (leaf, post_id, posts, sum_x, sum_y)
        values (darkroom.tile_at(x, y, 20), new.post_id, 1, round(x * 16), round(y * 16));
    end if;
    if tg_op <> 'INSERT' then
        perform darkroom.rank_post(new.post_id);
    end if;
    return null;
end $$;
comment on function darkroom.sync_feed is
    'The trigger that keeps feed and ranks for exactly the posts that readers see, and queues what changes on the map.';
