-- Only where the best post of a tile is of a blocked author are the four tiles below it looked at.
create or replace function darkroom.best_of_tile(
    level integer, x integer, y integer, blocked text[], out best bigint, out best_hot double precision
)
language plpgsql stable as $$
#variable_conflict use_column
begin
    with recursive tiles as (
        select m.level, m.x, m.y, m.best, m.best_hot,
               exists (select from darkroom.posts p where p.post_id = m.best and p.author_handle = any ($4)) as is_hidden
        from darkroom.map_tiles m where m.level = $1 and m.x = $2 and m.y = $3
        union all
        select m.level, m.x, m.y, m.best, m.best_hot,
               exists (select from darkroom.posts p where p.post_id = m.best and p.author_handle = any ($4))
        from tiles t join darkroom.map_tiles m
          on m.level = t.level + 1 and m.x between 2 * t.x and 2 * t.x + 1 and m.y between 2 * t.y and 2 * t.y + 1
        where t.is_hidden)
    select n.best, n.best_hot into $5, $6
    from (select t.best, t.best_hot from tiles t where not t.is_hidden
          union all
          select l.best, l.best_hot from tiles t cross join lateral darkroom.best_of_leaf(t.x::bigint << 26 | t.y, $4) l
          where t.is_hidden and t.level = 20) n
    where n.best is not null
    order by n.best_hot desc, n.best desc limit 1;
end $$;
comment on function darkroom.best_of_tile is
    'The best post by hot in a tile of the map, of authors other than those with the blocked handles; nulls if it has none. The planner '
    'settings are those of the lists.';
