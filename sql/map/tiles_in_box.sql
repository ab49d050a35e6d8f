create or replace function darkroom.tiles_in_box(
    south double precision, west double precision, north double precision, east double precision, level integer,
    filter darkroom.post_filter default null, viewer text default null
) returns setof darkroom.map_tiles
language plpgsql stable rows 500 as $$
#variable_conflict use_variable
declare
    size   double precision := 2.0 ^ (26 - level);
    world  integer := 2 ^ level;
    first  integer;
    last   integer;
    top    integer;
    bottom integer;
    blocked constant text[] := nullif(array(select darkroom.blocked_handles(viewer)), '{}');
begin
    if num_nulls(south, west, north, east) > 0 then perform darkroom.check_coordinate(null, null); end if;
    if south > north then
        raise exception using errcode = 'invalid_parameter_value', message = 'south is greater than north',
            hint = 'Give the box as south, west, north, east; one that crosses 180 degrees has west greater than east.';
    end if;
    first := floor(darkroom.plane_x(west) / size);
    last := floor(darkroom.plane_x(case when east < west then east + 360 else east end) / size);
    last := least(last, first + world - 1);
    top := least(world - 1, greatest(0, floor(darkroom.plane_y(north) / size)));
    bottom := least(world - 1, greatest(0, floor(darkroom.plane_y(south) / size)));
    if (last - first + 1)::bigint * (bottom - top + 1) > 20000 then
        raise exception using errcode = 'invalid_parameter_value', message = 'the box is too large for this zoom',
            hint = 'Give the box that a screen shows; zoom is that of web maps with tiles of 256 pixels.';
    end if;
    if not filter is null then
        return query select t.* from darkroom.tiles_of_filter(filter, level, first, last, top, bottom, blocked) t;
        return;
    end if;
    if blocked is not null then
        -- Adding up is quicker than joining, which would be a nested loop.
        return query
        select level::smallint, s.x, s.y, s.posts, s.sum_x, s.sum_y, coalesce(b.best, s.best), coalesce(b.best_hot, s.best_hot)
        from (select n.x, n.y, sum(n.posts)::integer as posts, sum(n.sum_x)::bigint as sum_x, sum(n.sum_y)::bigint as sum_y,
                     max(n.best) as best, max(n.best_hot) as best_hot, count(*) > 1 as has_hidden
              from (select m.x, m.y, m.posts::bigint, m.sum_x, m.sum_y, m.best, m.best_hot
                    from generate_series(first, last) c
                    join darkroom.map_tiles m
                      on m.level = tiles_in_box.level and m.x = (c + world) % world and m.y between top and bottom
                    union all
                    select (h.tile >> 26)::integer, (h.tile & 67108863)::integer, -count(*), -sum(round(h.position[0] * 16)),
                           -sum(round(h.position[1] * 16)), null, null
                    from (select f.position, darkroom.tile_at(f.position[0], f.position[1], level) as tile
                          from darkroom.feed f where f.author_handle = any (blocked)) h
                    where ((h.tile >> 26) - first) & (world - 1) <= last - first and h.tile & 67108863 between top and bottom
                    group by h.tile
                    union all
                    -- What the tally has yet to add to the tiles was taken out, too. An erased post leaves no handle, and stays until then.
                    select (h.tile >> 26)::integer, (h.tile & 67108863)::integer, h.posts, h.sum_x, h.sum_y, null, null
                    from (select c.posts, c.sum_x, c.sum_y,
                                 ((c.leaf >> (46 - level)) << 26) | ((c.leaf & 67108863) >> (20 - level)) as tile
                          from darkroom.map_changes c join darkroom.posts p using (post_id)
                          where p.author_handle = any (blocked)) h
                    where ((h.tile >> 26) - first) & (world - 1) <= last - first and h.tile & 67108863 between top and bottom) n
              group by n.x, n.y having sum(n.posts) > 0 and count(n.best) > 0) s
        left join lateral (select t.* from darkroom.best_of_tile(level, s.x, s.y, blocked) t where s.has_hidden) b on true
        where not s.has_hidden or b.best is not null;
        return;
    end if;
    return query
    select m.* from generate_series(first, last) c
    join darkroom.map_tiles m on m.level = tiles_in_box.level and m.x = (c + world) % world and m.y between top and bottom;
end $$;
comment on function darkroom.tiles_in_box is
    'The tiles of a level of the map that have posts, or posts that a filter keeps, and lie in a box in degrees, without the posts '
    'of authors whom the viewer has blocked; west is greater '
    'than east where the box crosses 180 degrees. Errors: 22023 for an invalid box, one of more than 20,000 tiles, or a filter '
    'with too many posts to look at. The planner settings are those of map_clusters and map_photos.';
