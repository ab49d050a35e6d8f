create or replace function darkroom.few_for_board(
    filter darkroom.post_filter, latitude double precision, longitude double precision, radius_m double precision,
    out ids bigint[], out times timestamptz[]
)
language plpgsql stable as $$
#variable_conflict use_variable
declare
    most        constant integer := darkroom.few_at_most();
    -- Fewer than elsewhere, because the posts' ranks lie scattered over the table.
    whole       constant integer := darkroom.whole_at_most() / 4;
    in_category constant text := filter.category;
    in_activity constant text := filter.activity;
    since       constant timestamptz := filter.published_since;
    until       constant timestamptz := coalesce(filter.published_until, 'infinity');
    further     constant darkroom.post_filter := darkroom.further_filter(filter);
    has_further constant boolean := not further is null;
    is_rare     constant boolean := num_nonnulls(filter.author_handle, filter.taken_since, filter.taken_until) > 0;
    conditions  constant integer := num_nonnulls(
        filter.category, filter.activity, filter.author_handle, filter.country, filter.division, filter.city, filter.place,
        filter.taken_hours, filter.taken_season);
    few         bigint[];
begin
    -- A circle that is not much smaller than a tile is read just as fast by tiles.
    if radius_m <= 500 then
        with there as materialized (
            select f.post_id, f.published_at, f.expires_at, f.position, f.category, f.activity
            from unnest(darkroom.boxes_around(latitude, longitude, radius_m)) b
            join darkroom.feed f on f.position <@ b and not f.is_stacked limit whole + 1)
        select case when (select count(*) from there) <= whole then coalesce(array_agg(f.post_id), '{}') end,
               array_agg(f.published_at)
        into ids, times
        from there f
        where (select count(*) from there) <= whole and darkroom.point_distance_m(latitude, longitude, f.position) <= radius_m and f.expires_at > now()
          and (in_category is null or f.category = in_category) and (in_activity is null or f.activity = in_activity)
          and (since is null or f.published_at >= since)
          and (not has_further or exists (
                  select from darkroom.feed o where o.post_id = f.post_id and darkroom.passes(further, o) offset 0));
    end if;
    if ids is null and radius_m is not null and since is not null then
        with there as materialized (
            select f.post_id, f.published_at, f.expires_at, f.position, f.category, f.activity
            from darkroom.tiles_around(latitude, longitude, radius_m, 15) t
            join darkroom.feed f on f.tile = t.tile and f.published_at >= since and f.published_at < until
            limit most + 1)
        select case when (select count(*) from there) <= most then coalesce(array_agg(f.post_id), '{}') end,
               array_agg(f.published_at)
        into ids, times
        from there f
        where (select count(*) from there) <= most and darkroom.point_distance_m(latitude, longitude, f.position) <= radius_m and f.expires_at > now()
          and (in_category is null or f.category = in_category) and (in_activity is null or f.activity = in_activity)
          and (not has_further or exists (
                  select from darkroom.feed o where o.post_id = f.post_id and darkroom.passes(further, o) offset 0));
    end if;
    if ids is null and radius_m is not null and in_activity is not null then
        with there as materialized (
            select f.post_id, f.published_at, f.expires_at, f.position, f.category
            from unnest(darkroom.boxes_around(latitude, longitude, radius_m)) b
            join darkroom.feed f
              on darkroom.plane_of(f.activity, f.position) <@ box(darkroom.plane_of(in_activity, b[0]) + point(0.1, 0.1),
                                                                  darkroom.plane_of(in_activity, b[1]) - point(0.1, 0.1))
             and f.activity = in_activity and not f.is_stacked_in_activity limit whole * 4 + 1)
        select case when (select count(*) from there) <= whole * 4 then coalesce(array_agg(f.post_id), '{}') end,
               array_agg(f.published_at)
        into ids, times
        from there f
        where (select count(*) from there) <= whole * 4 and darkroom.point_distance_m(latitude, longitude, f.position) <= radius_m and f.expires_at > now()
          and (in_category is null or f.category = in_category) and (since is null or f.published_at >= since)
          and (not has_further or exists (
                  select from darkroom.feed o where o.post_id = f.post_id and darkroom.passes(further, o) offset 0));
    end if;
    if ids is null and (is_rare or radius_m is null and conditions > 1) then
        few := darkroom.few_posts(filter, case when is_rare then most else most / 4 end);
    end if;
    if few is not null then
        execute format(
            'select coalesce(array_agg(f.post_id), ''{}''), array_agg(f.published_at)
             from %s
             where f.expires_at > now() %s %s',
            -- The planner chooses the index of the rarest condition, but the one of days of being taken does not fit a time.
            case when num_nonnulls(filter.taken_since, filter.taken_until) = 0 then 'darkroom.feed f'
                 else '(select o.* from unnest($2) as w (post_id) join darkroom.feed o on o.post_id = w.post_id offset 0) f' end,
            darkroom.conditions_of(filter, 'f'), case when radius_m is not null then 'and darkroom.point_distance_m($3, $4, f.position) <= $5' end)
        into ids, times using filter, few, latitude, longitude, radius_m;
    end if;
end $$;
comment on function darkroom.few_for_board is
    'The posts that a filter keeps within some metres of a coordinate, or anywhere, with their times of publishing, '
    'if there are few to look at: those of a small circle, of a time in a circle, or of a rare condition. Null if there are more.';
