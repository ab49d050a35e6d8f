-- Copy: best_in_wide_tile, with wide_tile for tile, 11 for 15
create or replace function darkroom.best_in_tile(
    latitude double precision, longitude double precision, metres double precision, wanted integer,
    vote_weight double precision, age_weight double precision, distance_weight double precision,
    view_weight double precision, scale_m double precision, in_category text, in_activity text, since timestamptz,
    further darkroom.post_filter, from_score double precision, from_id bigint, out ids bigint[], out scores double precision[], out distances double precision[]
)
language plpgsql stable as $$
#variable_conflict use_variable
declare
    has_further constant boolean := not further is null;
    -- The hour and the season are in the index of feed that is read here, not in that of ranks.
    taken_hours  constant integer := case when has_further then further.taken_hours end;
    taken_season constant text := case when has_further then further.taken_season end;
    needs_row    constant boolean := case when has_further then darkroom.needs_row(further) else false end;
    tiles   bigint[];
    losses  double precision[];
    surplus double precision;
    -- The most that views can add to a score.
    fame    constant double precision := case when view_weight > 0 then view_weight * coalesce(
        (select ln(1 + a.most_views) / ln(2) from darkroom.rating_averages a), 0) else 0 end;
    earliest constant timestamptz := coalesce(since, '-infinity');
    -- No post with votes that was published since then has a lower hot.
    least_hot double precision := '-infinity';
    least_score double precision;
    few     integer;
    looked_at   bigint[];
    inner_tiles bigint[];
begin
    select array_agg(t.id order by t.near_m), array_agg(distance_weight * ln(1 + t.near_m / scale_m) / ln(2) order by t.near_m),
           array_agg(t.id order by t.near_m) filter (
               where t.near_m + 57000000 * cos(radians(abs(latitude))) / 2 ^ 15 < metres)
    into tiles, losses, inner_tiles
    from darkroom.tiles_around(latitude, longitude, metres, 15) t (id, near_m);
    -- The most that a score can exceed age_weight * hot, since votes weigh differently here than in hot.
    select case when vote_weight > age_weight
                then (vote_weight - age_weight)
                     * coalesce((select darkroom.vote_magnitude(r.likes, 0) from darkroom.ranks r order by r.likes desc limit 1), 0)
                else (vote_weight - age_weight)
                     * coalesce((select r.magnitude from darkroom.ranks r where r.magnitude < 0 order by r.magnitude limit 1), 0) end
    into surplus;
    if since > '-infinity' then
        least_hot := darkroom.age_magnitude(since)
                     + coalesce((select r.magnitude from darkroom.ranks r where r.magnitude < 0 order by r.magnitude limit 1), 0) - 1e-6;
    end if;
    for attempt in 1..3 loop
        -- Posts with votes are more likely to be good. Look first at those in the nearest tiles that lie entirely
        -- within the circle, where every list has a match, then at those in all such tiles, then at everything.
        looked_at := case attempt when 1 then inner_tiles[1:16] when 2 then inner_tiles else tiles end;
        few := case when attempt < 3 then least(8, wanted) else wanted end;
        select min(b.score) into least_score
        from (select a.score
              from (select l.score
                    from unnest(looked_at) as t (tile) cross join lateral (
                        select s.score
                        from darkroom.ranks r
                        cross join lateral (select darkroom.point_distance_m(latitude, longitude, r.position) as m) d
                        cross join lateral (
                            select age_weight * r.hot + (vote_weight - age_weight) * r.magnitude
                                   - distance_weight * ln(1 + m / scale_m) / ln(2)
                                   + case when view_weight > 0 then view_weight * darkroom.view_magnitude(r.post_id) else 0 end as score) s
                        where r.tile = t.tile and r.hot >= least_hot and m <= metres and r.expires_at > now()
                          and (in_category is null or r.category = in_category)
                          and (in_activity is null or r.activity = in_activity)
                          and (not has_further or exists (
                                  select from darkroom.feed o where o.post_id = r.post_id and darkroom.passes(further, o) offset 0))
                          and r.published_at >= earliest
                          and (from_score is null or (s.score, r.post_id) < (from_score, from_id))
                        order by r.tile, r.hot desc limit few) l
                    union all
                    select l.score
                    from unnest(case attempt when 3 then tiles end) as t (tile) cross join lateral (
                        select s.score
                        from darkroom.feed f
                        cross join lateral (select darkroom.point_distance_m(latitude, longitude, f.position) as m) d
                        cross join lateral (
                            select age_weight * darkroom.age_magnitude(f.published_at)
                                   - distance_weight * ln(1 + m / scale_m) / ln(2)
                                   + case when view_weight > 0 then view_weight * darkroom.view_magnitude(f.post_id) else 0 end as score) s
                        where f.tile = t.tile and f.published_at >= earliest and m <= metres and f.expires_at > now()
                          and (in_category is null or f.category = in_category)
                          and (in_activity is null or f.activity = in_activity)
                          and (taken_hours is null or taken_hours >> f.taken_hour & 1 = 1)
                          and (taken_season is null or f.taken_season = taken_season)
                          and (not needs_row or exists (
                                  select from darkroom.feed o where o.post_id = f.post_id and darkroom.passes(further, o) offset 0))
                          and (from_score is null or (s.score, f.post_id) < (from_score, from_id))
                          and not exists (select from darkroom.ranks r where r.post_id = f.post_id)
                        order by f.tile, f.published_at desc limit few) l) a
              order by a.score desc limit wanted) b
        having count(*) = wanted;
        exit when least_score is not null;
    end loop;
    least_score := coalesce(least_score, '-infinity');
    select array_agg(b.post_id order by b.score desc, b.post_id desc),
           array_agg(b.score order by b.score desc, b.post_id desc),
           array_agg(b.m order by b.score desc, b.post_id desc)
    into ids, scores, distances
    from (select a.post_id, a.score, a.m
          from (select l.post_id, l.score, l.m
                from unnest(tiles, losses) as t (tile, loss) cross join lateral (
                    select r.post_id, s.score, m
                    from darkroom.ranks r
                    cross join lateral (select darkroom.point_distance_m(latitude, longitude, r.position) as m) d
                    cross join lateral (
                        select age_weight * r.hot + (vote_weight - age_weight) * r.magnitude
                               - distance_weight * ln(1 + m / scale_m) / ln(2)
                                   + case when view_weight > 0 then view_weight * darkroom.view_magnitude(r.post_id) else 0 end as score) s
                    where r.tile = t.tile and r.hot >= greatest(least_hot, (least_score + t.loss - surplus - fame) / age_weight - 1e-6)
                      and m <= metres and r.expires_at > now() and s.score >= least_score
                      and (in_category is null or r.category = in_category)
                      and (in_activity is null or r.activity = in_activity)
                      and (not has_further or exists (
                              select from darkroom.feed o where o.post_id = r.post_id and darkroom.passes(further, o) offset 0))
                      and r.published_at >= earliest
                      and (from_score is null or (s.score, r.post_id) < (from_score, from_id))) l
                union all
                select l.post_id, l.score, l.m
                from unnest(tiles, losses) as t (tile, loss) cross join lateral (
                    select f.post_id, s.score, m
                    from darkroom.feed f
                    cross join lateral (select darkroom.point_distance_m(latitude, longitude, f.position) as m) d
                    cross join lateral (
                        select age_weight * darkroom.age_magnitude(f.published_at)
                               - distance_weight * ln(1 + m / scale_m) / ln(2)
                                   + case when view_weight > 0 then view_weight * darkroom.view_magnitude(f.post_id) else 0 end as score) s
                    where f.tile = t.tile
                      and f.published_at >= case when least_score = '-infinity' then earliest else greatest(
                              earliest, to_timestamp(greatest(-2e11, least(9e12, ((least_score + t.loss - fame) / age_weight - 1e-6) * 86400)))) end
                      and m <= metres and f.expires_at > now() and s.score >= least_score
                      and (in_category is null or f.category = in_category)
                      and (in_activity is null or f.activity = in_activity)
                      and (taken_hours is null or taken_hours >> f.taken_hour & 1 = 1)
                      and (taken_season is null or f.taken_season = taken_season)
                      and (not needs_row or exists (
                              select from darkroom.feed o where o.post_id = f.post_id and darkroom.passes(further, o) offset 0))
                      and (from_score is null or (s.score, f.post_id) < (from_score, from_id))
                      and not exists (select from darkroom.ranks r where r.post_id = f.post_id)) l) a
          order by a.score desc, a.post_id desc limit wanted) b;
end $$;
comment on function darkroom.best_in_tile is
    'The best posts within some metres, for a page of near_and_good_posts, by the tiles of level 15. '
    'The planner settings are those of near_and_good_posts.';
