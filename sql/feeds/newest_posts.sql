-- Executed as a text, a query is planned with its filter, so that it reads the index of the narrowest condition.
create or replace function darkroom.newest_posts(
    filter darkroom.post_filter, wanted integer, before timestamptz, from_id bigint, without_votes boolean default false,
    out ids bigint[], out keys double precision[]
)
language plpgsql stable set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
set enable_mergejoin = off set enable_sort = off set jit = off as $$
declare
    few bigint[];
begin
    -- One condition has an index in the order of this feed; several may hardly ever be true together.
    if num_nonnulls(filter.category, filter.activity, filter.uploader, filter.country, filter.division, filter.city, filter.place)
       + 2 * num_nonnulls(filter.taken_since, filter.taken_until) > 1
    then
        few := darkroom.few_posts(filter);
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
    into ids, keys using filter, coalesce(before, 'infinity'), coalesce(from_id, 0), wanted, few;
end $$;
comment on function darkroom.newest_posts is
    'The newest posts that a filter keeps and that come after a cursor, for a page; without_votes leaves those that no board '
    'ranks.';
