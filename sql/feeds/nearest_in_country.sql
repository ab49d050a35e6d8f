-- A tile of level 11 has no point farther from its centre than 14 km, half its diagonal at the equator, unless it is at the
-- map's edge and so reaches a pole.
create or replace function darkroom.nearest_in_country(
    filter darkroom.post_filter, latitude double precision, longitude double precision, wanted integer,
    most_m double precision, from_m double precision, from_id bigint, out ids bigint[], out metres double precision[]
)
language plpgsql stable as $$
#variable_conflict use_variable
declare
    size  constant double precision := 2.0 ^ 15;
    tiles bigint[];
    nears double precision[];
    first integer := 1;
    step  integer := 1;
    rest  constant text := darkroom.conditions_of(filter, 'f');
begin
    with recursive there (tile) as (
        (select f.wide_tile from darkroom.feed f where f.country = filter.country order by f.wide_tile limit 1)
        union all
        select (select f.wide_tile from darkroom.feed f
                where f.country = filter.country and f.wide_tile > t.tile order by f.wide_tile limit 1)
        from there t where t.tile is not null)
    select array_agg(n.tile order by n.near_m), array_agg(n.near_m order by n.near_m)
    into tiles, nears
    from (select t.tile,
                 case when t.tile & 67108863 in (0, 2047) then 0
                      else greatest(0, darkroom.point_distance_m(
                               latitude, longitude,
                               point(((t.tile >> 26) + 0.5) * size, ((t.tile & 67108863) + 0.5) * size)) - 14000) end as near_m
          from there t where t.tile is not null) n;
    while nears[first] <= least(most_m, case when cardinality(ids) = wanted then metres[wanted] end) loop
        execute format(
            'select array_agg(n.post_id order by n.m, n.post_id desc), array_agg(n.m order by n.m, n.post_id desc)
             from (select a.post_id, a.m
                   from (select f.post_id, m
                         from unnest($2) as t (tile)
                         cross join lateral (
                             select * from darkroom.feed o where o.country = ($1).country and o.wide_tile = t.tile offset 0) f
                         cross join lateral (select darkroom.point_distance_m($3, $4, f.position) as m) d
                         where m <= $5 and ($6 is null or (m, - f.post_id) > ($6, - $7)) and f.expires_at > now() %s
                         union all
                         select * from unnest($8, $9)) a
                   order by a.m, a.post_id desc limit $10) n', rest)
        into ids, metres
        using filter, tiles[first:first + step - 1], latitude, longitude, most_m, from_m, from_id, ids, metres, wanted;
        first := first + step;
        step := step * 2;
    end loop;
end $$;
comment on function darkroom.nearest_in_country is
    'The nearest posts of a country that a filter keeps, up to most_m metres away, for a page of nearest_posts, whose planner '
    'settings it uses. It reads the tiles in which the country has posts, nearest first, until no other can have a nearer one.';
