create or replace function darkroom.few_posts(filter darkroom.post_filter, at_most integer default null) returns bigint[]
language plpgsql stable set enable_sort = off as $$
#variable_conflict use_variable
declare
    most  constant integer := coalesce(at_most, darkroom.few_at_most());
    since constant timestamptz := coalesce(filter.published_since, '-infinity');
    until constant timestamptz := coalesce(filter.published_until, 'infinity');
    scope record;
    ids   bigint[];
begin
    for scope in
        select s.* from (values
            ('author_handle', filter.author_handle), ('activity', filter.activity), ('place', filter.place::text),
            ('city', filter.city::text), ('taken_at', coalesce(filter.taken_since, filter.taken_until)::text),
            ('published_at', coalesce(filter.published_since, filter.published_until)::text),
            ('category', filter.category), ('division', filter.division::text), ('country', filter.country::text)
        ) s (name, value) where s.value is not null
    loop
        if scope.name = 'taken_at' then
            ids := array(select f.post_id from darkroom.feed f
                         where darkroom.day_number(f.taken_at) between coalesce(darkroom.day_number(filter.taken_since), -2147483648)
                                                                   and coalesce(darkroom.day_number(filter.taken_until), 2147483647)
                           and f.taken_at >= coalesce(filter.taken_since, '-infinity')
                           and f.taken_at < coalesce(filter.taken_until, 'infinity')
                         limit most + 1);
        elsif scope.name = 'published_at' then
            ids := array(select f.post_id from darkroom.feed f where f.published_at >= since and f.published_at < until
                         order by f.published_at desc, f.post_id desc limit most + 1);
        elsif scope.name = 'activity' then
            ids := array(select f.post_id from darkroom.feed f
                         where f.activity = scope.value and f.published_at >= since and f.published_at < until
                         order by f.activity, f.published_at desc limit most + 1);
        elsif scope.name = 'category' then
            ids := array(select f.post_id from darkroom.feed f
                         where f.category = scope.value and f.published_at >= since and f.published_at < until
                         order by f.category, f.published_at desc limit most + 1);
        else
            execute format('select array(select f.post_id from darkroom.feed f
                                         where f.%I = %L and f.published_at >= $1 and f.published_at < $2
                                         order by f.published_at desc, f.post_id desc limit $3 + 1)', scope.name, scope.value)
            into ids using since, until, most;
        end if;
        if cardinality(ids) <= most then return ids; end if;
    end loop;
    return null;
end $$;
comment on function darkroom.few_posts is
    'The numbers of all visible posts that have one of the filter''s indexed conditions, from the one that usually has the '
    'fewest posts: its author, activity, place, city, time of being taken or of publishing, category, division or country. The '
    'first that at most few_at_most (or at_most) posts have; null if more have each. Those that have the other conditions '
    'too are among them. The other planner settings are those of the lists.';
