-- The feed has no column for the tile of level 20, because the index of positions finds a tile's posts.
create or replace function darkroom.keep_feed() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
declare
    x double precision;
    y double precision;
begin
    if tg_op <> 'INSERT' and old.state = 'published' then
        insert into darkroom.map_changes (leaf)
        select darkroom.tile_at(f.position[0], f.position[1], 20) from darkroom.feed f where f.post_id = old.post_id;
        if tg_op = 'DELETE' or new.state <> 'published' then
            delete from darkroom.feed where post_id = old.post_id;
            delete from darkroom.ranks where post_id = old.post_id;
        end if;
    end if;
    if tg_op <> 'DELETE' and new.state = 'published' then
        if tg_op = 'UPDATE' and old.state <> 'published' then
            insert into darkroom.post_counters as c (post_id) values (new.post_id)
            on conflict (post_id) do update set views = c.views;
        end if;
        x := darkroom.plane_x(new.longitude);
        y := darkroom.plane_y(new.latitude);
        insert into darkroom.feed (
            post_id, published_at, expires_at, position, tile, wide_tile, place, category, event, uploader)
        values (new.post_id, new.published_at, coalesce(new.expires_at, 'infinity'), point(x, y),
                darkroom.tile_at(x, y, 15), darkroom.tile_at(x, y, 11), new.place_geonameid, new.category, new.event,
                new.uploader)
        on conflict (post_id) do update set
            published_at = excluded.published_at, expires_at = excluded.expires_at, position = excluded.position,
            tile = excluded.tile, wide_tile = excluded.wide_tile, place = excluded.place, category = excluded.category, event = excluded.event, uploader = excluded.uploader;
        if tg_op <> 'INSERT' then
            perform darkroom.rank_post(new.post_id);
        end if;
        insert into darkroom.map_changes (leaf) values (darkroom.tile_at(x, y, 20));
    end if;
    return null;
end $$;
comment on function darkroom.keep_feed is
    'The trigger that keeps feed and ranks for exactly the posts that readers see, and queues the map''s tiles where '
    'they lie for recounting.';
