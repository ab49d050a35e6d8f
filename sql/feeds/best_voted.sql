-- Each vote rewrites a post's entries in all indexes of ranks, so there are lists by likes and by hot alone. The boards wilson
-- and weighted read those by likes, down to where no post can score as well as the best page of the most liked posts.
create or replace function darkroom.best_voted(
    board text, filter darkroom.post_filter, wanted integer, latitude double precision, longitude double precision,
    radius_m double precision, from_key double precision, from_id bigint, out ids bigint[], out keys double precision[]
)
language plpgsql stable as $$
#variable_conflict use_variable
declare
    most_lists constant integer := 1100;
    has_lists constant boolean := board in ('likes', 'hot');
    -- What the lists are ordered by, a post's key, and what no post with the key c.key is listed below.
    listed   constant text := case when board = 'hot' then 'r.hot' else 'r.likes' end;
    key      constant text := case board when 'wilson' then 'r.wilson'
                                         when 'weighted' then 'darkroom.weighted_rating(r.likes, r.dislikes, $5, $6)'
                                         else listed end;
    bound    constant text := case board when 'wilson' then 'darkroom.likes_for_wilson(c.key)'
                                         when 'weighted' then 'darkroom.likes_for_weighted(c.key, $5, $6)' else 'c.key' end;
    level    constant text := case when filter.country is not null then 'country' when filter.division is not null then 'division'
                                   when filter.city is not null then 'city' when filter.place is not null then 'place' end;
    scope    constant text := case when filter.activity is not null then 'activity' when level is not null then level
                                   when filter.category is not null then 'category' end;
    has_further constant boolean := num_nonnulls(
        filter.author_handle, filter.taken_since, filter.taken_until, filter.taken_hours, filter.taken_season) > 0;
    rest     text := case when has_further then '' else darkroom.conditions_of(filter, 'r') end
                  || case when from_key is not null then format(' and (%s, r.post_id) < ($2, $3)', key) else '' end
                  || case when has_further then case when filter.activity is not null then ' and r.activity = ($1).activity' else '' end
                             || case when level is not null then format(' and r.%1$I = ($1).%1$I', level) else '' end
                             || case when filter.category is not null then ' and r.category = ($1).category' else '' end
                             || ' and exists (select from darkroom.feed o where o.post_id = r.post_id'
                             || darkroom.conditions_of(filter, 'o') || ' offset 0)' else '' end
                  || ' and r.expires_at > now()';
    seconds  constant integer := case when scope is null then 86400 else 604800 end;
    -- The lists that are read, and those whose tops show how good a page is.
    lists    text := '(values (0)) l (list)';
    tops     text := lists;
    in_list  text := 'true';
    by_list  text := '';
    -- The rows that show how good a page is, and how many of each list.
    many     integer := wanted * case when has_further then 2 else 5 end;
    query    text;
    edge_rows text := '';
    tiles       bigint[];
    inner_tiles bigint[];
    begins   timestamptz;
    ends     timestamptz;
    first    integer;
    last     integer;
    edges    timestamptz[] := '{}';
    edge_ends timestamptz[] := '{}';
    averages record;
begin
    select a.average_rating as rating, a.average_votes as votes into averages from darkroom.rating_averages a;
    if radius_m is not null then
        select array_agg(t.tile order by t.near_m),
               array_agg(t.tile order by t.near_m) filter (
                   where t.near_m + 57000000 * cos(radians(abs(latitude))) / 2 ^ 15 < radius_m)
        into tiles, inner_tiles
        from darkroom.tiles_around(latitude, longitude, radius_m, 15) t;
        inner_tiles := coalesce(inner_tiles, tiles[1:1]);
        lists := 'unnest($7::bigint[]) l (list)';
        tops := 'unnest($8::bigint[]) l (list)';
        in_list := 'r.tile = l.list';
        by_list := 'r.tile,';
        rest := rest || ' and (r.position <@ $9 or darkroom.point_distance_m($10, $11, r.position) <= $12)';
        if has_lists then
            many := 1 + 2 * wanted / cardinality(inner_tiles);
        end if;
    elsif not filter is null then
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
        else
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
            lists := format('generate_series(%s, %s) l (list)', first, last);
            -- A list without a post of the season would be read to its end.
            if filter.taken_season is not null then
                lists := format(
                    '(select l.list from %1$s where exists (
                          select from darkroom.feed f
                          where f.taken_season = %2$L and f.published_at >= to_timestamp(l.list::float8 * %3$s)
                            and f.published_at < to_timestamp((l.list + 1)::float8 * %3$s))) l', lists, filter.taken_season, seconds);
            end if;
            tops := lists;
            in_list := case when scope is null then 'r.day = l.list' else 'r.week = l.list' end;
            by_list := coalesce('r.' || scope || ',', '') || case when scope is null then 'r.day,' else 'r.week,' end;
            -- Of lists with one top each, only those with the best tops have any of the best.
            if has_lists then
                lists := 'tops l';
                many := 1;
            end if;
        end if;
    end if;
    -- Planning takes as long as reading, so a query has no part that reads nothing.
    if by_list = '' and board <> 'weighted' then
        execute format(
            'select array_agg(n.post_id), array_agg(n.key) from (
                 select r.post_id, %1$s::float8 as key from darkroom.ranks r where true %2$s
                 order by %1$s desc, r.post_id desc limit $4) n', key, rest)
        into ids, keys using filter, from_key, from_id, wanted;
        return;
    end if;
    if edges <> '{}' then
        edge_rows := format(
            'union all
             select l.* from unnest($14::timestamptz[], $15::timestamptz[]) as e (begins, ends) cross join lateral (
                 select o.key, o.post_id
                 from (select f.post_id from darkroom.feed f
                       where %1$s f.published_at >= e.begins and f.published_at < e.ends offset 0) f
                 join lateral (select %2$s as key, r.post_id from darkroom.ranks r where r.post_id = f.post_id %3$s) o on true) l',
            case when scope is not null then format('f.%1$s = ($1).%1$s and', scope) end, key, rest);
    end if;
    if has_lists then
        query := format(
            'with tops as materialized (
                 select l.list, h.*
                 from %3$s cross join lateral (
                     select %1$s as key, r.post_id from darkroom.ranks r where %4$s %6$s
                     order by %5$s %1$s desc, r.post_id desc limit $13) h
                 order by h.key desc, h.post_id desc limit $4)
             select h.*
             from %2$s cross join lateral (
                 select %1$s as key, r.post_id from darkroom.ranks r
                 where %4$s %6$s
                   and %1$s >= (select case when count(*) = $4 then min(t.key) else -2147483648 end from tops t)
                 order by %5$s %1$s desc, r.post_id desc limit $4) h',
            listed, lists, tops, in_list, by_list, rest);
    else
        -- A list that gave fewer tops than it was asked for is read already.
        query := format(
            'with filled as materialized (
                 select l.list, coalesce(l.list = any ($8), true) as is_inner
                 from %4$s cross join lateral (
                     select from darkroom.ranks r where %5$s %6$s order by %7$s %1$s desc, r.post_id desc limit 1) h),
             many as materialized (select 1 + $13 / greatest(1, count(*)) as number from filled s where s.is_inner),
             tops as materialized (
                 select l.list, h.*
                 from filled l cross join lateral (
                     select %2$s as key, r.post_id from darkroom.ranks r where %6$s %8$s
                     order by %7$s %1$s desc, r.post_id desc limit (select m.number from many m)) h
                 where l.is_inner),
             bounds as materialized (
                 select case when c.number = $4 then %3$s else -2147483648 end as listed,
                        case when c.number = $4 then c.key else -2147483648 end as key
                 from (select count(*) as number, min(b.key) as key from (select t.key from tops t order by t.key desc limit $4) b) c),
             unread as materialized (
                 select t.list from tops t group by t.list having count(*) = (select m.number from many m)
                 union all
                 select s.list from filled s where not s.is_inner)
             select t.key, t.post_id from tops t where t.list <> all (array(select u.list from unread u))
             union all
             select h.*
             from unread l cross join lateral (
                 select %2$s as key, r.post_id from darkroom.ranks r
                 where %6$s and %1$s >= (select c.listed from bounds c) and %2$s >= (select c.key from bounds c) %8$s
                 order by %7$s %1$s desc, r.post_id desc) h',
            listed, key, bound, lists, case when scope is not null then format('r.%1$I = ($1).%1$I and', scope) end, in_list, by_list, rest);
    end if;
    execute format(
        'select array_agg(n.post_id), array_agg(n.key) from (
             select b.post_id, b.key::float8 from (%s %s) b (key, post_id)
             order by b.key desc, b.post_id desc limit $4) n', query, edge_rows)
    into ids, keys
    using filter, from_key, from_id, wanted, averages.rating, averages.votes, tiles, inner_tiles,
          darkroom.inner_circle(latitude, longitude, radius_m), latitude, longitude, radius_m, many, edges, edge_ends;
end $$;
comment on function darkroom.best_voted is
    'The posts with votes of a page of top_posts, whose planner settings it uses. It reads a list of each day, of each '
    'week of a place, activity or category, or of each tile of an area, as docs/feeds.md explains.';
