create or replace function darkroom.nearest_named(
    scope text, name text, latitude double precision, longitude double precision, wanted integer, most_m double precision,
    since timestamptz, in_category text, in_activity text, further darkroom.post_filter, from_m double precision,
    from_id bigint,
    out ids bigint[], out metres double precision[]
)
language plpgsql stable as $$
#variable_conflict use_variable
declare
    here constant point := darkroom.plane_of(name, point(darkroom.plane_x(longitude), darkroom.plane_y(latitude)));
    far  double precision;
    rest constant text := case when not further is null then 'and darkroom.passes($12, f)' end;
    rest_of_near constant text := case when not further is null then
        'and exists (select from darkroom.feed o where o.post_id = a.post_id and darkroom.passes($12, o) offset 0)' end;
begin
    execute format(
        'select (array_agg(n.m order by n.m))[$3] from unnest(darkroom.boxes_around($1, $2, $4)) b
         cross join lateral (
             select m from darkroom.feed f
             cross join lateral (select darkroom.point_distance_m($1, $2, f.position) as m) d
             where darkroom.plane_of(f.%1$I, f.position) <@ box(darkroom.plane_of($6, b[0]) + point(0.1, 0.1),
                                                                darkroom.plane_of($6, b[1]) - point(0.1, 0.1))
               and f.%1$I = $6 and not f.%2$I and m <= $4
               and ($7 is null or f.published_at >= $7) and ($8 is null or f.category = $8)
               and ($9 is null or f.activity = $9) and f.expires_at > now() %3$s
               and ($10 is null or (m, - f.post_id) > ($10, - $11))
             order by darkroom.plane_of(f.%1$I, f.position) <-> $5 limit $3) n', scope, 'is_stacked_in_' || scope, rest, rest_of_near)
    into far using latitude, longitude, wanted, most_m, here, name, since, in_category, in_activity, from_m, from_id, further;
    execute format(
        'with near as materialized (
             select f.post_id, f.published_at, f.expires_at, f.category, f.activity, f.position, m
             from unnest(darkroom.boxes_around($1, $2, $4)) b
             join darkroom.feed f
               on darkroom.plane_of(f.%1$I, f.position) <@ box(darkroom.plane_of($6, b[0]) + point(0.1, 0.1),
                                                               darkroom.plane_of($6, b[1]) - point(0.1, 0.1))
              and f.%1$I = $6 and not f.%2$I
             cross join lateral (select darkroom.point_distance_m($1, $2, f.position) as m) d
             where m <= $4 and ($10 is null or m >= $10))
         select array_agg(n.post_id order by n.m, n.post_id desc), array_agg(n.m order by n.m, n.post_id desc)
         from (select a.post_id, a.m
               from (select f.post_id, f.published_at, f.expires_at, f.category, f.activity, f.m from near f
                     where $10 is null or (f.m, - f.post_id) > ($10, - $11)
                     union all
                     select s.post_id, s.published_at, s.expires_at, s.category, s.activity, p.m
                     from (select distinct n.position[0] as x, n.position[1] as y, n.m from near n) p
                     cross join lateral (
                         select * from darkroom.feed f
                         where f.%1$I = $6 and f.%2$I and f.position[0] = p.x and f.position[1] = p.y
                           and f.post_id < case when p.m = $10 then $11 else 9223372036854775807 end
                           and ($7 is null or f.published_at >= $7) and ($8 is null or f.category = $8)
                           and ($9 is null or f.activity = $9) and f.expires_at > now() %3$s
                         order by f.%1$I, f.position[0], f.position[1], f.post_id desc limit $3) s) a
               where ($7 is null or a.published_at >= $7) and ($8 is null or a.category = $8)
                 and ($9 is null or a.activity = $9) and a.expires_at > now()
                 %4$s
               order by a.m, a.post_id desc limit $3) n', scope, 'is_stacked_in_' || scope, rest, rest_of_near)
    into ids, metres
    using latitude, longitude, wanted, coalesce(far, most_m), here, name, since, in_category, in_activity, from_m, from_id,
          further;
end $$;
comment on function darkroom.nearest_named is
    'The nearest posts of a scope, category or activity, up to most_m metres away, for a page of nearest_posts. It reads '
    'only the posts of that name. The planner settings are those of nearest_posts.';
