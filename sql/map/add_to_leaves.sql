-- One statement, so that the changes, the tiles and the posts are those of one moment. If more changes wait than are
-- taken, a tile may still count posts that have left, and have one of them as its best.
create or replace function darkroom.add_to_leaves(at_most integer, out taken integer, out leaves bigint[])
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
    with gone as (
        delete from darkroom.map_changes c where c.change_id in (
            select m.change_id from darkroom.map_changes m order by m.change_id limit at_most for update skip locked)
        returning c.leaf, c.post_id, c.posts, c.sum_x, c.sum_y),
    changed as (
        select g.leaf, sum(g.posts) as posts, sum(g.sum_x) as sum_x, sum(g.sum_y) as sum_y,
               array_agg(distinct g.post_id) as ids
        from gone g group by g.leaf),
    added as materialized (
        select c.leaf, coalesce(m.posts, 0) + c.posts as posts, coalesce(m.sum_x, 0) + c.sum_x as sum_x,
               coalesce(m.sum_y, 0) + c.sum_y as sum_y, coalesce(b.best, m.best, c.ids[1]) as best,
               coalesce(b.best_hot, m.best_hot, '-infinity') as best_hot
        from changed c
        left join darkroom.map_tiles m
          on m.level = 20 and m.x = (c.leaf >> 26)::integer and m.y = (c.leaf & 67108863)::integer
        left join lateral (
            select f.post_id, h.hot
            from unnest(c.ids) as i (post_id)
            cross join lateral (select * from darkroom.feed o where o.post_id = i.post_id offset 0) f
            left join darkroom.ranks r on r.post_id = i.post_id
            cross join lateral (select coalesce(r.hot, darkroom.age_magnitude(f.published_at)) as hot) h
            where f.leaf = c.leaf
            order by h.hot desc, f.post_id desc limit 1) n on true
        left join lateral (
            select m.best, m.best_hot
            where m.best <> all (c.ids) and (n.post_id is null or (m.best_hot, m.best) > (n.hot, n.post_id))
            union all
            select n.post_id, n.hot
            where n.post_id is not null and (m.best is null or (n.hot, n.post_id) >= (m.best_hot, m.best))
            union all
            select o.best, o.best_hot
            from darkroom.best_of_leaf(c.leaf) o
            where m.best = any (c.ids) and (n.post_id is null or (n.hot, n.post_id) < (m.best_hot, m.best))) b on true),
    emptied as (
        delete from darkroom.map_tiles m using added a
        where a.posts <= 0 and m.level = 20 and m.x = (a.leaf >> 26)::integer and m.y = (a.leaf & 67108863)::integer
        returning a.leaf),
    kept as (
        insert into darkroom.map_tiles as m (level, x, y, posts, sum_x, sum_y, best, best_hot)
        select 20, a.leaf >> 26, a.leaf & 67108863, a.posts, a.sum_x, a.sum_y, a.best, a.best_hot
        from added a where a.posts > 0
        on conflict (level, x, y) do update set
            posts = excluded.posts, sum_x = excluded.sum_x, sum_y = excluded.sum_y, best = excluded.best,
            best_hot = excluded.best_hot
        where (m.posts, m.sum_x, m.sum_y, m.best, m.best_hot)
              is distinct from (excluded.posts, excluded.sum_x, excluded.sum_y, excluded.best, excluded.best_hot)
        returning m.x::bigint << 26 | m.y as leaf)
    select (select count(*) from gone),
           (select array_agg(w.leaf) from (select leaf from emptied union all select leaf from kept) w)
    into taken, leaves;
end $$;
comment on function darkroom.add_to_leaves is
    'Takes up to at_most changes of the map and adds them to the tiles of level 20. Returns how many there were, and the '
    'tiles that are different now. The best post of a tile is searched for only if it has left or fallen.';
