-- Executed as a text, a query is planned with its filter, so that it reads the index of the narrowest condition.
create or replace function darkroom.newest_posts(
    filter darkroom.post_filter, wanted integer, before timestamptz, from_id bigint, without_votes boolean default false,
    out ids bigint[], out keys double precision[]
)
language plpgsql stable as $$
#variable_conflict use_variable
declare
    most_lists constant integer := 1100;
    earliest timestamptz := '-infinity';
    -- How many conditions have a list of their own; more than one if others must be compared.
    lists integer := 0;
    few   bigint[];
    first integer;
    last  integer;
begin
    before := coalesce(before, 'infinity');
    from_id := coalesce(from_id, 0);
    if not filter is null then
        earliest := coalesce(filter.published_since, earliest);
        -- The lists are read from the newest post, so an end is a cursor.
        if filter.published_until <= before then
            before := filter.published_until;
            from_id := 0;
        end if;
        lists := num_nonnulls(filter.category, filter.activity, filter.author_handle, filter.country, filter.division, filter.city,
                              filter.place, filter.taken_season)
                 + case when num_nonnulls(filter.taken_since, filter.taken_until, filter.taken_hours) > 0 then 2 else 0 end;
    end if;
    -- PL/pgSQL keeps these two plans for the session: planning takes as long as reading.
    if lists = 0 then
        select array_agg(n.post_id), array_agg(extract(epoch from n.published_at) * 1000000) into ids, keys
        from (select f.post_id, f.published_at from darkroom.feed f
              where (f.published_at, f.post_id) < (before, from_id) and f.published_at >= earliest and f.expires_at > now()
                and (not without_votes or not exists (select from darkroom.ranks r where r.post_id = f.post_id offset 0))
              order by f.published_at desc, f.post_id desc limit wanted) n;
        return;
    end if;
    -- All but one of these have no post.
    if lists = 1 then
        select array_agg(n.post_id), array_agg(extract(epoch from n.published_at) * 1000000) into ids, keys
        from ((select f.post_id, f.published_at from darkroom.feed f
                where f.category = filter.category and (f.published_at, f.post_id) < (before, from_id)
                  and f.published_at >= earliest and f.expires_at > now()
                  and (not without_votes or not exists (select from darkroom.ranks r where r.post_id = f.post_id offset 0))
                order by f.published_at desc, f.post_id desc limit wanted)
               union all
               (select f.post_id, f.published_at from darkroom.feed f
                where f.activity = filter.activity and (f.published_at, f.post_id) < (before, from_id)
                  and f.published_at >= earliest and f.expires_at > now()
                  and (not without_votes or not exists (select from darkroom.ranks r where r.post_id = f.post_id offset 0))
                order by f.published_at desc, f.post_id desc limit wanted)
               union all
               (select f.post_id, f.published_at from darkroom.feed f
                where f.author_handle = filter.author_handle and (f.published_at, f.post_id) < (before, from_id)
                  and f.published_at >= earliest and f.expires_at > now()
                  and (not without_votes or not exists (select from darkroom.ranks r where r.post_id = f.post_id offset 0))
                order by f.published_at desc, f.post_id desc limit wanted)
               union all
               (select f.post_id, f.published_at from darkroom.feed f
                where f.country = filter.country and (f.published_at, f.post_id) < (before, from_id)
                  and f.published_at >= earliest and f.expires_at > now()
                  and (not without_votes or not exists (select from darkroom.ranks r where r.post_id = f.post_id offset 0))
                order by f.published_at desc, f.post_id desc limit wanted)
               union all
               (select f.post_id, f.published_at from darkroom.feed f
                where f.division = filter.division and (f.published_at, f.post_id) < (before, from_id)
                  and f.published_at >= earliest and f.expires_at > now()
                  and (not without_votes or not exists (select from darkroom.ranks r where r.post_id = f.post_id offset 0))
                order by f.published_at desc, f.post_id desc limit wanted)
               union all
               (select f.post_id, f.published_at from darkroom.feed f
                where f.city = filter.city and (f.published_at, f.post_id) < (before, from_id)
                  and f.published_at >= earliest and f.expires_at > now()
                  and (not without_votes or not exists (select from darkroom.ranks r where r.post_id = f.post_id offset 0))
                order by f.published_at desc, f.post_id desc limit wanted)
               union all
               (select f.post_id, f.published_at from darkroom.feed f
                where f.place = filter.place and (f.published_at, f.post_id) < (before, from_id)
                  and f.published_at >= earliest and f.expires_at > now()
                  and (not without_votes or not exists (select from darkroom.ranks r where r.post_id = f.post_id offset 0))
                order by f.published_at desc, f.post_id desc limit wanted)
               union all
               (select f.post_id, f.published_at from darkroom.feed f
                where f.taken_season = filter.taken_season and (f.published_at, f.post_id) < (before, from_id)
                  and f.published_at >= earliest and f.expires_at > now()
                  and (not without_votes or not exists (select from darkroom.ranks r where r.post_id = f.post_id offset 0))
                order by f.published_at desc, f.post_id desc limit wanted)
               order by published_at desc, post_id desc limit wanted) n;
        return;
    end if;
    -- A time of being taken has a list of each day; the other conditions have indexes in the order of this feed.
    if num_nonnulls(filter.taken_since, filter.taken_until) > 0 then
        if num_nonnulls(filter.category, filter.activity, filter.author_handle, filter.country, filter.division, filter.city,
                        filter.place) > 0
        then
            few := darkroom.few_posts(filter);
        end if;
        first := greatest(darkroom.day_number(filter.taken_since), (
            select darkroom.day_number(f.taken_at) from darkroom.feed f where f.taken_at is not null
            order by darkroom.day_number(f.taken_at) limit 1));
        last := least(darkroom.day_number(filter.taken_until - interval '1 microsecond'), (
            select darkroom.day_number(f.taken_at) from darkroom.feed f where f.taken_at is not null
            order by darkroom.day_number(f.taken_at) desc limit 1));
    end if;
    if few is null and last - first < most_lists then
        execute format(
            'with heads as materialized (
                 select d.day, h.* from generate_series($5, $6) as d (day) cross join lateral (
                     select f.published_at, f.post_id from darkroom.feed f
                     where darkroom.day_number(f.taken_at) = d.day and (f.published_at, f.post_id) < ($2, $3)
                       and f.expires_at > now() %1$s %2$s
                     order by darkroom.day_number(f.taken_at), f.published_at desc, f.post_id desc limit 1) h
                 order by h.published_at desc, h.post_id desc limit $4)
             select array_agg(n.post_id), array_agg(extract(epoch from n.published_at) * 1000000)
             from (select f.post_id, f.published_at from heads cross join lateral (
                       select f.post_id, f.published_at from darkroom.feed f
                       where darkroom.day_number(f.taken_at) = heads.day and (f.published_at, f.post_id) < ($2, $3)
                         and f.expires_at > now() %1$s %2$s
                         and f.published_at >= (
                             select case when count(*) = $4 then min(h.published_at) else ''-infinity'' end from heads h)
                       order by darkroom.day_number(f.taken_at), f.published_at desc, f.post_id desc limit $4) f
                   order by f.published_at desc, f.post_id desc limit $4) n',
            darkroom.conditions_of(filter, 'f'),
            case when without_votes
                 then 'and not exists (select from darkroom.ranks r where r.post_id = f.post_id offset 0)' end)
        into ids, keys using filter, before, from_id, wanted, first, last;
        return;
    end if;
    execute format(
        'select array_agg(n.post_id), array_agg(extract(epoch from n.published_at) * 1000000)
         from (select f.post_id, f.published_at from %s
               where (f.published_at, f.post_id) < ($2, $3) and f.expires_at > now() %s %s
               order by f.published_at desc, f.post_id desc limit $4) n',
        case when few is null then 'darkroom.feed f'
             else '(select o.* from unnest($5) as w (post_id) join darkroom.feed o on o.post_id = w.post_id offset 0) f' end,
        darkroom.conditions_of(filter, 'f'),
        case when without_votes
             then 'and not exists (select from darkroom.ranks r where r.post_id = f.post_id offset 0)' end)
    into ids, keys using filter, before, from_id, wanted, few;
end $$;
comment on function darkroom.newest_posts is
    'The newest posts that a filter keeps and that come after a cursor, for a page; without_votes leaves those that no board '
    'ranks. The planner settings are those of latest_posts.';
