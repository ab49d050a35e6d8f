create or replace function darkroom.few_posts(in_category text, in_activity text, since timestamptz) returns bigint[]
language plpgsql stable set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
set jit = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_variable
declare
    at_most constant integer := darkroom.few_at_most();
    ids bigint[];
begin
    if in_activity is not null then
        ids := array(select f.post_id from darkroom.feed f where f.activity = in_activity and f.published_at >= coalesce(since, '-infinity')
                     order by f.activity, f.published_at desc limit at_most + 1);
        if cardinality(ids) <= at_most then return ids; end if;
    end if;
    if since is not null then
        ids := array(select f.post_id from darkroom.feed f where f.published_at >= since
                     order by f.published_at desc limit at_most + 1);
        if cardinality(ids) <= at_most then return ids; end if;
    end if;
    if in_category is not null then
        ids := array(select f.post_id from darkroom.feed f where f.category = in_category and f.published_at >= coalesce(since, '-infinity')
                     order by f.category, f.published_at desc limit at_most + 1);
        if cardinality(ids) <= at_most then return ids; end if;
    end if;
    return null;
end $$;
comment on function darkroom.few_posts is
    'The numbers of all visible posts of an activity since a time, of all since the time, or of a category since it: the first '
    'of these that has at most few_at_most posts. Null if each has more.';
