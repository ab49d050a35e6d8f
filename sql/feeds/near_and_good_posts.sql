-- May be called by: api, reader
-- Example:
--   select post_id, score from darkroom.near_and_good_posts(47.6062, -122.3321, half_life => '12 hours')
create or replace function darkroom.near_and_good_posts(
    latitude         darkroom.latitude,
    longitude        darkroom.longitude,
    radius_m         darkroom.metres default 5000,
    at_most          bigint default 20,
    half_life        interval default '1 day',
    vote_weight      double precision default 1,
    distance_weight  double precision default 1,
    distance_scale_m darkroom.metres default 500,
    view_weight      double precision default 0,
    in_category      text default null,
    in_activity      text default null,
    in_place         darkroom.place_key default null,
    by_uploader      text default null,
    published_since  timestamptz default null,
    published_until  timestamptz default null,
    taken_since      timestamptz default null,
    taken_until      timestamptz default null,
    from_hour        integer default null,
    to_hour          integer default null,
    in_season        text default null,
    after            text default null,
    viewer           darkroom.person default null
) returns setof darkroom.feed_post
language plpgsql stable rows 20 security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan set extra_float_digits = 1 as $$
#variable_conflict use_variable
declare
    seconds double precision := extract(epoch from half_life);
    found   record;
    filter  darkroom.post_filter;
    further darkroom.post_filter;
    few     bigint[];
    from_score double precision := darkroom.cursor_key('good', after);
    from_id    bigint := darkroom.cursor_post(after);
    missing    integer := darkroom.page_size(at_most);
    wanted     integer := coalesce(darkroom.first_size(missing, viewer), missing);
    shown      integer;
begin
    if num_nonnulls(in_category, in_activity, in_place, by_uploader, published_since, published_until, taken_since, taken_until,
                    from_hour, to_hour, in_season) > 0
    then
        filter := darkroom.filter_of(
            in_category, in_activity, in_place, by_uploader, published_since, published_until, taken_since, taken_until,
            from_hour, to_hour, in_season);
        further := darkroom.further_filter(filter);
        few := darkroom.few_posts(filter);
        if few is not null and not further is null then
            few := array(select f.post_id from unnest(few) as w (post_id) join darkroom.feed f using (post_id)
                         where darkroom.passes(further, f));
        end if;
        in_category := filter.category;
        in_activity := filter.activity;
    end if;
    if num_nulls(latitude, longitude) > 0 then perform darkroom.check_coordinate(latitude, longitude); end if;
    if not coalesce(seconds between 60 and 3155760000, false) or not coalesce(vote_weight between 0 and 100, false)
       or not coalesce(distance_weight between 0 and 100, false) or not coalesce(view_weight between 0 and 100, false)
       or not coalesce(distance_scale_m between 1 and 1e6, false) or not coalesce(radius_m between 1 and 1e6, false)
    then
        raise exception using errcode = 'invalid_parameter_value', message = 'a parameter is out of range',
            hint = 'half_life: a minute to a century; weights: 0 to 100; distance_scale_m and radius_m: 1 to 1,000,000.';
    end if;
    loop
        if few is not null then
            select array_agg(b.post_id order by b.score desc, b.post_id desc) as ids,
                   array_agg(b.score order by b.score desc, b.post_id desc) as scores,
                   array_agg(b.m order by b.score desc, b.post_id desc) as distances
            into found
            from (select f.post_id, s.score, m
                  from unnest(few) as w (post_id) join darkroom.feed f using (post_id)
                  left join darkroom.ranks r using (post_id)
                  cross join lateral (select darkroom.point_distance_m(latitude, longitude, f.position) as m) d
                  cross join lateral (
                      select vote_weight * coalesce(r.magnitude, 0)
                             + 86400 / seconds * darkroom.age_magnitude(f.published_at)
                             - distance_weight * ln(1 + m / distance_scale_m) / ln(2)
                             + case when view_weight > 0 then view_weight * darkroom.view_magnitude(f.post_id) else 0 end as score) s
                  where m <= radius_m and f.expires_at > now()
                    and (in_category is null or f.category = in_category) and (in_activity is null or f.activity = in_activity)
                    and (published_since is null or f.published_at >= published_since)
                    and (from_score is null or (s.score, f.post_id) < (from_score, from_id))
                  order by s.score desc, f.post_id desc limit wanted) b;
        elsif darkroom.tile_level(latitude, radius_m) = 15 then
            found := darkroom.best_in_tile(
                latitude, longitude, radius_m, wanted, vote_weight, 86400 / seconds, distance_weight,
                view_weight, distance_scale_m, in_category, in_activity, published_since, further, from_score, from_id);
        else
            found := darkroom.best_in_wide_tile(
                latitude, longitude, radius_m, wanted, vote_weight, 86400 / seconds, distance_weight,
                view_weight, distance_scale_m, in_category, in_activity, published_since, further, from_score, from_id);
        end if;
        return query select * from darkroom.show_posts('good', found.ids, found.scores, found.distances, viewer, missing);
        get diagnostics shown = row_count;
        missing := missing - shown;
        exit when missing <= 0 or viewer is null or coalesce(cardinality(found.ids), 0) < wanted;
        -- The viewer has blocked authors of this page.
        from_score := found.scores[wanted];
        from_id := found.ids[wanted];
        wanted := darkroom.next_size(wanted, shown, missing);
    end loop;
end $$;
comment on function darkroom.near_and_good_posts is
    'The best posts within a radius. Doubling the lead in likes is worth vote_weight half-lives of age; doubling the '
    'distance beyond distance_scale_m costs distance_weight; doubling the views is worth view_weight. radius_m and distance_scale_m are 1 to 1,000,000 metres, '
    'half_life a minute to a century, the weights 0 to 100. at_most is 1 to 100 (values outside are clamped). after is '
    'the cursor of the last row of the previous page, with the same arguments. Errors: 22023 for an argument out of '
    'range or a cursor of another feed.';
