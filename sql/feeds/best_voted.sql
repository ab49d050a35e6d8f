-- A condition that ranks lack is looked up in feed.
create or replace function darkroom.best_voted(
    board text, filter darkroom.post_filter, wanted integer, latitude double precision, longitude double precision,
    radius_m double precision, from_key double precision, from_id bigint,
    out ids bigint[], out keys double precision[], out metres double precision[]
)
language plpgsql stable as $$
#variable_conflict use_variable
declare
    most_lists constant integer := 1100;
    level    constant text := case when filter.country is not null then 'country' when filter.division is not null then 'division'
                                   when filter.city is not null then 'city' when filter.place is not null then 'place' end;
    scope    constant text := case when filter.activity is not null then 'activity' when level is not null then level
                                   when filter.category is not null then 'category' end;
    has_further constant boolean := num_nonnulls(
        filter.author_handle, filter.taken_since, filter.taken_until, filter.taken_hours, filter.taken_season) > 0;
    rest     text := case when has_further then '' else darkroom.conditions_of(filter, 'r') end
                  || case when from_key is not null then format(' and (r.%I, r.post_id) < ($2, $3)', board) else '' end
                  || case when has_further then case when filter.activity is not null then ' and r.activity = ($1).activity' else '' end
                             || case when level is not null then format(' and r.%1$I = ($1).%1$I', level) else '' end
                             || case when filter.category is not null then ' and r.category = ($1).category' else '' end
                             || ' and exists (select from darkroom.feed o where o.post_id = r.post_id'
                             || darkroom.conditions_of(filter, 'o') || ' offset 0)' else '' end
                  || ' and r.expires_at > now()';
    seconds  constant integer := case when scope is null then 86400 else 604800 end;
    begins   timestamptz;
    ends     timestamptz;
    first    integer;
    last     integer;
    edges    timestamptz[] := '{}';
    edge_ends timestamptz[] := '{}';
begin
    if radius_m is not null then
        select a.* into ids, keys, metres
        from darkroom.top_of_area(board, filter, wanted, latitude, longitude, radius_m, from_key, from_id, rest) a;
        return;
    end if;
    -- PL/pgSQL keeps these plans for the session; planning with all indexes of ranks takes longer than reading one.
    if filter is null then
        from_key := coalesce(from_key, 'infinity');
        from_id := coalesce(from_id, 0);
        if board = 'likes' then
            select array_agg(n.post_id), array_agg(n.likes::float8) into ids, keys
            from (select r.post_id, r.likes from darkroom.ranks r
                  where (r.likes, r.post_id) < (from_key, from_id) and r.expires_at > now()
                  order by r.likes desc, r.post_id desc limit wanted) n;
        elsif board = 'wilson' then
            select array_agg(n.post_id), array_agg(n.wilson::float8) into ids, keys
            from (select r.post_id, r.wilson from darkroom.ranks r
                  where (r.wilson, r.post_id) < (from_key, from_id) and r.expires_at > now()
                  order by r.wilson desc, r.post_id desc limit wanted) n;
        elsif board = 'weighted' then
            select array_agg(n.post_id), array_agg(n.weighted::float8) into ids, keys
            from (select r.post_id, r.weighted from darkroom.ranks r
                  where (r.weighted, r.post_id) < (from_key, from_id) and r.expires_at > now()
                  order by r.weighted desc, r.post_id desc limit wanted) n;
        elsif board = 'hot' then
            select array_agg(n.post_id), array_agg(n.hot::float8) into ids, keys
            from (select r.post_id, r.hot from darkroom.ranks r
                  where (r.hot, r.post_id) < (from_key, from_id) and r.expires_at > now()
                  order by r.hot desc, r.post_id desc limit wanted) n;
        end if;
        return;
    end if;
    if not exists (select from darkroom.ranks) then
        return;
    end if;
    begins := greatest(filter.published_since, (select f.published_at from darkroom.feed f order by f.published_at, f.post_id limit 1));
    ends := least(filter.published_until, (select f.published_at from darkroom.feed f order by f.published_at desc, f.post_id desc limit 1)
                         + interval '1 microsecond');
    if begins is null or begins >= ends then
        return;
    end if;
    first := floor(extract(epoch from begins) / seconds);
    last := floor(extract(epoch from ends - interval '1 microsecond') / seconds);
    -- The newest posts, which are hottest, are mostly of one season.
    if scope is null and (filter.published_since is null and filter.published_until is null
                          and not (board = 'hot' and filter.taken_season is not null) or last - first >= most_lists) then
        -- No post from before the end is hotter than this, so the scan skips the newer posts.
        if board = 'hot' and filter.published_until is not null then
            rest := rest || format(
                ' and r.hot <= %s',
                darkroom.age_magnitude(ends)
                + coalesce((select darkroom.vote_magnitude(r.likes, 0) from darkroom.ranks r order by r.likes desc limit 1), 0) + 1e-6);
        end if;
        execute format(
            'select array_agg(n.post_id), array_agg(n.key) from (
                 select r.post_id, r.%1$I::float8 as key from darkroom.ranks r where true %2$s
                 order by r.%1$I desc, r.post_id desc limit $4) n', board, rest)
        into ids, keys using filter, from_key, from_id, wanted;
        return;
    end if;
    if ends - begins < make_interval(secs => seconds / 64) then
        edges := array[begins];
        edge_ends := array[ends];
        last := first - 1;
    else
        if to_timestamp((first + 1)::float8 * seconds) - begins < make_interval(secs => seconds / 64) then
            edges := edges || begins;
            edge_ends := edge_ends || to_timestamp((first + 1)::float8 * seconds);
            first := first + 1;
        end if;
        if ends - to_timestamp(last::float8 * seconds) < make_interval(secs => seconds / 64) and last > first then
            edges := edges || to_timestamp(last::float8 * seconds);
            edge_ends := edge_ends || ends;
            last := last - 1;
        end if;
    end if;
    -- Planning takes as long as reading, so a query has no part that reads nothing.
    execute format(
        'with heads as materialized (
             select list, h.*
             from (select list from generate_series($5::integer, $6::integer) list %6$s) l cross join lateral (
                 select r.%1$I as key, r.post_id from darkroom.ranks r where r.%3$I = list %2$s
                 order by %4$s r.%3$I, r.%1$I desc, r.post_id desc limit 1) h
             order by h.key desc, h.post_id desc limit $4)
         select array_agg(n.post_id), array_agg(n.key) from (
             select b.post_id, b.key::float8 from (
                 select l.* from heads cross join lateral (
                     select r.%1$I as key, r.post_id from darkroom.ranks r
                     where r.%3$I = heads.list %2$s
                       and r.%1$I >= (select case when count(*) = $4 then min(key) else -2147483648 end from heads)
                     order by %4$s r.%3$I, r.%1$I desc, r.post_id desc limit $4) l
                 %5$s) b
             order by b.key desc, b.post_id desc limit $4) n',
        board, rest, case when scope is null then 'day' else 'week' end, 'r.' || scope || ',',
        case when edges <> '{}' then format(
            'union all
             select l.* from unnest($7::timestamptz[], $8::timestamptz[]) as e (begins, ends) cross join lateral (
                 select o.key, o.post_id
                 from (select f.post_id from darkroom.feed f
                       where %1$s f.published_at >= e.begins and f.published_at < e.ends offset 0) f
                 join lateral (select r.%2$I as key, r.post_id from darkroom.ranks r where r.post_id = f.post_id %3$s) o on true) l',
            case when scope is not null then format('f.%1$s = ($1).%1$s and', scope) end, board, rest) end,
        -- A list without a post of the season would be read to its end.
        case when filter.taken_season is not null then format(
            'where exists (
                 select from darkroom.feed f
                 where f.taken_season = %1$L and f.published_at >= to_timestamp(list::float8 * %2$s)
                   and f.published_at < to_timestamp((list + 1)::float8 * %2$s))', filter.taken_season, seconds) end)
    into ids, keys using filter, from_key, from_id, wanted, first, last, edges, edge_ends;
end $$;
comment on function darkroom.best_voted is
    'The posts with votes of a page of top_posts, whose planner settings it uses. It reads a list of each day, or of each '
    'week of a place, activity or category, as docs/feeds.md explains.';
