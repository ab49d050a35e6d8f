-- May be called by: api
-- Example:
--   select darkroom.count_views(post_ids => '{1,4}', views => '{12,3}')
create or replace function darkroom.count_views(post_ids darkroom.post_numbers, views darkroom.view_counts default null) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp set jit = off as $$
#variable_conflict use_variable
begin
    insert into darkroom.counter_changes (post_id, views)
    select s.post_id, least(sum(greatest(least(coalesce(s.views, 1), 1000000), 0)), 2147483647)
    from unnest(post_ids, views) as s (post_id, views)
    where exists (select from darkroom.posts p where p.post_id = s.post_id)
    group by s.post_id;
end $$;
comment on function darkroom.count_views is
    'Adds views to posts: one each, or as many as views says, 0 to 1,000,000 each (values outside are clamped). '
    'Unknown posts are skipped. Both are lists of at most 10,000 numbers. Collect views and call this once a second rather than once per view.';
