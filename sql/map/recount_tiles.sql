create or replace function darkroom.recount_tiles(leaves bigint[]) returns void
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
begin
    with now_there as (
        select d as leaf, n.*
        from unnest(leaves) d cross join lateral (
            select count(*) as posts, sum(f.position[0]) as sum_x, sum(f.position[1]) as sum_y,
                   (array_agg(f.post_id order by h.hot desc, f.post_id desc))[1] as best, max(h.hot) as best_hot
            from darkroom.feed f
            left join darkroom.ranks r using (post_id)
            cross join lateral (select coalesce(r.hot, darkroom.age_magnitude(f.published_at)) as hot) h
            where f.expires_at > now() and f.position <@ darkroom.tile_box(20, (d >> 26)::integer, (d & 67108863)::integer)
              and darkroom.tile_at(f.position[0], f.position[1], 20) = d) n),
    gone as (
        delete from darkroom.map_tiles m using now_there n
        where n.posts = 0 and m.level = 20 and m.x = (n.leaf >> 26)::integer and m.y = (n.leaf & 67108863)::integer)
    insert into darkroom.map_tiles as m (level, x, y, posts, sum_x, sum_y, best, best_hot)
    select 20, leaf >> 26, leaf & 67108863, posts, sum_x, sum_y, best, best_hot from now_there where posts > 0
    on conflict (level, x, y) do update set
        posts = excluded.posts, sum_x = excluded.sum_x, sum_y = excluded.sum_y, best = excluded.best,
        best_hot = excluded.best_hot;
end $$;
comment on function darkroom.recount_tiles is 'Computes tiles of the map''s level 20 again from the feed.';
