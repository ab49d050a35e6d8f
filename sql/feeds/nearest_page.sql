create or replace function darkroom.nearest_page(
    filter darkroom.post_filter, latitude double precision, longitude double precision, wanted integer, most_m double precision,
    from_m double precision, from_id bigint, out ids bigint[], out metres double precision[]
)
language plpgsql stable as $$
#variable_conflict use_variable
declare
    far     double precision;
    x       double precision;
    y       double precision;
    few     bigint[];
    -- If the nearest posts, as many as these, do not have a page of those wanted, other indexes find them. A time comes
    -- first, up to this distance.
    tried   constant integer := darkroom.few_at_most() / 2;
    tries   integer;
    since_m constant double precision := 100000;
    in_category constant text := filter.category;
    in_activity constant text := filter.activity;
    since       constant timestamptz := filter.published_since;
    is_filtered constant boolean := not filter is null;
    further     constant darkroom.post_filter := darkroom.further_filter(filter);
    has_further constant boolean := not further is null;
    is_whole boolean;
begin
    if is_filtered then
        few := darkroom.few_posts(filter);
    end if;
    if few is not null then
        select n.* into ids, metres from darkroom.nearest_of(
            few, latitude, longitude, wanted, most_m, since, in_category, in_activity, further, from_m, from_id) n;
        return;
    end if;
    x := darkroom.plane_x(longitude);
    y := darkroom.plane_y(latitude);
    -- The nearest posts in the plane bound the distance of the nearest on the sphere. Posts beyond 180 degrees may
    -- be nearer; then the bound is only larger than necessary.
    foreach tries in array case when not is_filtered then array[wanted] when since is null then array[tried / 4, tried]
                                else array[tried] end loop
        select (array_agg(n.m order by n.m) filter (
                   where (in_category is null or n.category = in_category) and (in_activity is null or n.activity = in_activity)
                     and (since is null or n.published_at >= since)
                     and (not has_further or exists (
                             select from darkroom.feed o where o.post_id = n.post_id and darkroom.passes(further, o) offset 0))))[wanted],
               count(*) < tries
        into far, is_whole
        from unnest(darkroom.boxes_around(latitude, longitude, greatest(0, most_m))) b
        cross join lateral (
            select f.post_id, f.category, f.activity, f.published_at, m from darkroom.feed f
            cross join lateral (select darkroom.point_distance_m(latitude, longitude, f.position) as m) d
            where f.position <@ b and not f.is_stacked and f.expires_at > now() and m <= most_m
              and (from_m is null or (m, - f.post_id) > (from_m, - from_id))
            order by f.position <-> point(x, y) limit tries) n;
        exit when far is not null or is_whole;
    end loop;
    if far is null and is_filtered and not is_whole then
        if since is not null then
            select n.* into ids, metres from darkroom.nearest_since(
                latitude, longitude, wanted, least(most_m, since_m), since, in_category, in_activity, further, from_m, from_id) n;
        end if;
        if coalesce(cardinality(ids), 0) < wanted and (since is null or most_m > since_m) then
            if filter.country is not null and num_nonnulls(filter.author_handle, filter.activity) = 0 then
                select n.* into ids, metres from darkroom.nearest_in_country(
                    filter, latitude, longitude, wanted, most_m, from_m, from_id) n;
                return;
            end if;
            if num_nonnulls(filter.author_handle, filter.country, filter.division, filter.city, filter.place, filter.taken_since,
                            filter.taken_until) > 0
            then
                few := darkroom.few_posts(filter, darkroom.map_at_most());
            end if;
            if few is not null then
                select n.* into ids, metres from darkroom.nearest_of(
                    few, latitude, longitude, wanted, most_m, since, in_category, in_activity, further, from_m, from_id) n;
            elsif in_category is not null or in_activity is not null then
                select n.* into ids, metres from darkroom.nearest_named(
                    case when in_activity is null then 'category' else 'activity' end, coalesce(in_activity, in_category),
                    latitude, longitude, wanted, most_m, since, in_category, in_activity, further, from_m, from_id) n;
            else
                select n.* into ids, metres from darkroom.nearest_since(
                    latitude, longitude, wanted, most_m, coalesce(since, '-infinity'), null, null, further, from_m, from_id) n;
            end if;
        end if;
        return;
    end if;
    far := greatest(-1, coalesce(far, most_m));
    with near as materialized (
        select f.post_id, f.published_at, f.expires_at, f.category, f.activity, f.position, m
        from unnest(darkroom.boxes_around(latitude, longitude, far)) b
        join darkroom.feed f on f.position <@ b and not f.is_stacked
        cross join lateral (select darkroom.point_distance_m(latitude, longitude, f.position) as m) d
        where m <= far and (from_m is null or m >= from_m))
    select array_agg(n.post_id order by n.m, n.post_id desc), array_agg(n.m order by n.m, n.post_id desc) into ids, metres
    from (select a.post_id, a.m
          from (select f.post_id, f.m from near f
                where (in_category is null or f.category = in_category) and (in_activity is null or f.activity = in_activity)
                  and (since is null or f.published_at >= since) and f.expires_at > now()
                  and (not has_further or exists (
                          select from darkroom.feed o where o.post_id = f.post_id and darkroom.passes(further, o) offset 0))
                  and (from_m is null or (f.m, - f.post_id) > (from_m, - from_id))
                union all
                select s.post_id, p.m
                from (select distinct n.position[0] as x, n.position[1] as y, n.m from near n) p
                cross join lateral (
                    select f.post_id from darkroom.feed f
                    where f.is_stacked and f.position[0] = p.x and f.position[1] = p.y
                      and f.post_id < case when p.m = from_m then from_id else 9223372036854775807 end
                      and (in_category is null or f.category = in_category) and (in_activity is null or f.activity = in_activity)
                      and (since is null or f.published_at >= since) and f.expires_at > now()
                      and (not has_further or darkroom.passes(further, f))
                    order by f.position[0], f.position[1], f.post_id desc limit wanted) s) a
          order by a.m, a.post_id desc limit wanted) n;
end $$;
comment on function darkroom.nearest_page is
    'The posts nearest to a coordinate that a filter keeps, within most_m metres and after a cursor, for a page of nearest_posts, '
    'whose planner settings it uses. It is exact: the distances are along the sphere.';
