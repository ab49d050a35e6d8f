-- Each circle is twice as wide as the one before, so most of the posts that are read lie in the last one.
create or replace function darkroom.nearest_since(
    latitude double precision, longitude double precision, wanted integer, most_m double precision, since timestamptz,
    in_category text, in_activity text, further darkroom.post_filter, from_m double precision, from_id bigint,
    out ids bigint[], out metres double precision[]
)
language plpgsql stable as $$
#variable_conflict use_variable
declare
    reach double precision := greatest(500, from_m);
    rest  text := '';
begin
    -- The hour and the season are in the indexes that are read here.
    if further.taken_hours is not null then rest := format('and %s >> f.taken_hour & 1 = 1', further.taken_hours); end if;
    if further.taken_season is not null then rest := rest || format(' and f.taken_season = %L', further.taken_season); end if;
    if darkroom.needs_row(further) then
        rest := rest || ' and exists (select from darkroom.feed o where o.post_id = f.post_id and darkroom.passes($10, o) offset 0)';
    end if;
    loop
        reach := least(reach * 2, most_m);
        execute format(
            'select array_agg(n.post_id order by n.m, n.post_id desc), array_agg(n.m order by n.m, n.post_id desc)
             from (select f.post_id, f.m
                   from darkroom.tiles_around($1, $2, $3, %s) t
                   cross join lateral (
                       select f.post_id, f.category, f.activity, f.expires_at, f.taken_hour, f.taken_season,
                              darkroom.point_distance_m($1, $2, f.position) as m
                       from darkroom.feed f where f.%I = t.tile and f.published_at >= $4) f
                   where f.m <= $3 and f.expires_at > now() and ($5 is null or f.category = $5)
                     and ($6 is null or f.activity = $6) and ($7 is null or (f.m, - f.post_id) > ($7, - $8))
                     %s
                   order by f.m, f.post_id desc limit $9) n',
            l.level, case l.level when 15 then 'tile' else 'wide_tile' end, rest)
        from darkroom.tile_level(latitude, reach) l (level)
        into ids, metres
        using latitude, longitude, reach, since, in_category, in_activity, from_m, from_id, wanted, further;
        exit when cardinality(ids) = wanted or reach >= most_m;
    end loop;
end $$;
comment on function darkroom.nearest_since is
    'The nearest posts since a time, of a filter or of both, up to most_m metres away, for a page of nearest_posts: it reads '
    'the lists of tiles by time, in circles that grow until they hold a page. So old posts stay unread. The planner settings are those of '
    'nearest_posts.';
