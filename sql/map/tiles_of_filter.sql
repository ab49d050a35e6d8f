-- The map's tiles are summed over all posts, so those of a filter are summed here: from the posts of its rarest condition, or
-- from all posts of the tiles, whichever are few. A post lies in the same tile, and at the same place in it, as without a filter.
create or replace function darkroom.tiles_of_filter(
    filter darkroom.post_filter, level integer, first integer, last integer, top integer, bottom integer,
    blocked text[] default null
) returns setof darkroom.map_tiles
language plpgsql stable rows 500 set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set max_parallel_workers_per_gather = 0 set jit = off as $$
#variable_conflict use_variable
declare
    most    constant integer := darkroom.map_at_most();
    world   constant integer := 1 << level;
    finer   constant integer := case when level > 15 then 20 when level >= 11 then 15 else 11 end;
    further constant integer := finer - level;
    there   bigint;
    few     bigint[];
begin
    select sum(m.posts) into there
    from generate_series(first, last) c
    join darkroom.map_tiles m on m.level = tiles_of_filter.level and m.x = (c + world) % world and m.y between top and bottom;
    if there > darkroom.few_at_most() then
        -- Looking up a post takes as long as reading eight in an index.
        few := darkroom.few_posts(filter, case when there <= most then there / 8 else most end::integer);
    end if;
    if few is null and there > most then
        raise exception using errcode = 'invalid_parameter_value', message = 'the filter has too many posts on this map',
            hint = format('Show a part of the map with at most %s posts, or add a condition that fewer posts have, such as an '
                          'activity, a city or a time.', most);
    end if;
    return query execute format(
        'select $2::smallint, (n.tile >> 26)::integer, (n.tile & 67108863)::integer, count(*)::integer,
                sum(round(n.position[0] * 16)::bigint)::bigint, sum(round(n.position[1] * 16)::bigint)::bigint,
                (array_agg(n.post_id order by n.hot desc, n.post_id desc))[1], max(n.hot)
         from (select f.post_id, f.position, darkroom.tile_at(f.position[0], f.position[1], $2) as tile,
                      coalesce((select r.hot from darkroom.ranks r where r.post_id = f.post_id),
                               darkroom.age_magnitude(f.published_at)) as hot
               from %s
               cross join lateral (
                   select f.post_id, f.position, f.published_at from darkroom.feed f
                   where %s and f.expires_at > now() %s offset 0) f
               where ((darkroom.tile_at(f.position[0], f.position[1], $2) >> 26) - $3) & ((1 << $2) - 1) <= $4 - $3
                 and darkroom.tile_at(f.position[0], f.position[1], $2) & 67108863 between $5 and $6
               offset 0) n
         group by n.tile',
        case when few is null
             then format('generate_series($3 << %1$s, (($4 + 1) << %1$s) - 1) c
                          cross join lateral (select (c & ((1 << %2$s) - 1))::bigint << 26 as number) l', further, finer)
             else 'unnest($7) as w (post_id)' end,
        case when few is null
             then format('f.%1$I between l.number + ($5 << %2$s) and l.number + (($6 + 1) << %2$s) - 1',
                         case finer when 20 then 'leaf' when 15 then 'tile' else 'wide_tile' end, further)
             else 'f.post_id = w.post_id' end,
        darkroom.conditions_of(filter, 'f') || case when blocked is not null then ' and f.author_handle <> all ($8)' else '' end)
    using filter, level, first, last, top, bottom, few, blocked;
end $$;
comment on function darkroom.tiles_of_filter is
    'Tiles of a level of the map that count only the posts that a filter keeps: those of columns first to last, which may go '
    'around the world, and rows top to bottom, and no author whose handle is blocked. Errors: 22023 if it would have to look at more than map_at_most posts.';
