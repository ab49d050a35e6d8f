create or replace function darkroom.rebuild_feeds() returns void
language plpgsql set jit = off as $$
begin
    perform darkroom.take_lock('tally_counters');
    perform darkroom.take_lock('tally_map');
    lock table darkroom.posts, darkroom.ranks in share row exclusive mode;
    delete from darkroom.feed;
    delete from darkroom.ranks;
    delete from darkroom.map_tiles;
    delete from darkroom.map_changes;
    delete from darkroom.stack_changes;
    insert into darkroom.feed (
        post_id, published_at, expires_at, position, tile, wide_tile, country, division, city, place, category, activity,
        author_handle, taken_at, taken_hour, taken_season)
    select p.post_id, p.published_at, coalesce(p.expires_at, 'infinity'), point(x, y), darkroom.tile_at(x, y, 15),
           darkroom.tile_at(x, y, 11), p.country_geonameid, p.division_geonameid, p.city_geonameid, p.place_geonameid,
           darkroom.name_key(p.category), darkroom.name_key(p.activity), p.author_handle, p.taken_at, extract(hour from p.taken_at_local),
           darkroom.season_of(p.taken_at_local, p.latitude)
    from darkroom.posts p
    cross join lateral (select darkroom.plane_x(p.longitude) as x, darkroom.plane_y(p.latitude) as y) c
    where p.state = 'published';
    insert into darkroom.ranks (
        post_id, published_at, expires_at, position, tile, wide_tile, country, division, city, place, category, activity,
        likes, dislikes, wilson, magnitude, hot)
    select f.post_id, f.published_at, f.expires_at, f.position, f.tile, f.wide_tile, f.country, f.division, f.city,
           f.place, f.category, f.activity, c.likes, c.dislikes, darkroom.wilson_score(c.likes, c.dislikes),
           darkroom.vote_magnitude(c.likes, c.dislikes),
           darkroom.vote_magnitude(c.likes, c.dislikes) + darkroom.age_magnitude(f.published_at)
    from darkroom.feed f join darkroom.post_counters c using (post_id)
    where c.likes > 0 or c.dislikes > 0;
    update darkroom.rating_averages set most_views = coalesce((select max(c.views) from darkroom.post_counters c), 0);
    insert into darkroom.map_tiles (level, x, y, posts, sum_x, sum_y, best, best_hot)
    select 20, f.leaf >> 26, f.leaf & 67108863, count(*), sum(round(f.position[0] * 16)::bigint),
           sum(round(f.position[1] * 16)::bigint), (array_agg(f.post_id order by l.hot desc, f.post_id desc))[1], max(l.hot)
    from darkroom.feed f left join darkroom.ranks r using (post_id)
    cross join lateral (select coalesce(r.hot, darkroom.age_magnitude(f.published_at)) as hot) l
    group by f.leaf order by f.leaf;
    update darkroom.feed f
    set is_stacked = n.of_all > darkroom.stack_size(),
        is_stacked_in_category = f.category is not null and n.of_category > darkroom.stack_size(),
        is_stacked_in_activity = f.activity is not null and n.of_activity > darkroom.stack_size()
    from (select s.post_id, row_number() over (partition by s.position[0], s.position[1] order by s.post_id) as of_all,
                 row_number() over (partition by s.position[0], s.position[1], s.category order by s.post_id) as of_category,
                 row_number() over (partition by s.position[0], s.position[1], s.activity order by s.post_id) as of_activity
          from darkroom.map_tiles m join darkroom.feed s on s.leaf = m.x::bigint << 26 | m.y
          where m.level = 20 and m.posts > darkroom.stack_size()) n
    where n.of_all > darkroom.stack_size() and f.post_id = n.post_id;
    for above in reverse 19..2 loop
        insert into darkroom.map_tiles (level, x, y, posts, sum_x, sum_y, best, best_hot)
        select above, x >> 1, y >> 1, sum(posts), sum(sum_x), sum(sum_y),
               (array_agg(best order by best_hot desc, best desc))[1], max(best_hot)
        from darkroom.map_tiles where level = above + 1 group by x >> 1, y >> 1 order by 2, 3;
    end loop;
end $$;
comment on function darkroom.rebuild_feeds is
    'Rebuilds what feeds and the map are read from, out of posts and counters. Publishing waits. For repairs and '
    'upgrades.';
