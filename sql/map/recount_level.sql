create or replace function darkroom.recount_level(of_level integer, tiles bigint[]) returns bigint[]
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan as $$
declare
    changed bigint[];
begin
    with now_there as (
        select t.x, t.y, n.*
        from (select (d >> 26)::integer as x, (d & 67108863)::integer as y from unnest(tiles) d) t
        cross join lateral (
            select sum(c.posts) as posts, sum(c.sum_x) as sum_x, sum(c.sum_y) as sum_y,
                   (array_agg(c.best order by c.best_hot desc, c.best desc))[1] as best, max(c.best_hot) as best_hot
            from (values (0, 0), (0, 1), (1, 0), (1, 1)) as q (x, y)
            join darkroom.map_tiles c
              on c.level = of_level + 1 and c.x = t.x * 2 + q.x and c.y = t.y * 2 + q.y) n),
    gone as (
        delete from darkroom.map_tiles m using now_there n
        where n.posts is null and m.level = of_level and m.x = n.x and m.y = n.y
        returning m.x, m.y),
    kept as (
        insert into darkroom.map_tiles as m (level, x, y, posts, sum_x, sum_y, best, best_hot)
        select of_level, x, y, posts, sum_x, sum_y, best, best_hot from now_there where posts > 0
        on conflict (level, x, y) do update set
            posts = excluded.posts, sum_x = excluded.sum_x, sum_y = excluded.sum_y, best = excluded.best,
            best_hot = excluded.best_hot
        where (m.posts, m.sum_x, m.sum_y, m.best, m.best_hot)
              is distinct from (excluded.posts, excluded.sum_x, excluded.sum_y, excluded.best, excluded.best_hot)
        returning m.x, m.y)
    select array_agg(w.x::bigint << 26 | w.y) into changed
    from (select g.x, g.y from gone g union all select k.x, k.y from kept k) w;
    return changed;
end $$;
comment on function darkroom.recount_level is
    'Computes tiles of a level of the map again, each from its four tiles of the level below. Returns those that are '
    'different now, null if none is.';
