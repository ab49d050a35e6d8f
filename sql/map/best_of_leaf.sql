-- No post without votes is hotter than its age, so only those that are younger than the best with votes is hot can be
-- better than it.
create or replace function darkroom.best_of_leaf(of_leaf bigint, blocked text[] default null, out best bigint, out best_hot double precision)
language plpgsql stable set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
set jit = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_variable
declare
    young     record;
begin
    select r.post_id, r.hot into best, best_hot from darkroom.ranks r
    where r.leaf = of_leaf
      and (blocked is null or not exists (
              select from darkroom.feed o where o.post_id = r.post_id and o.author_handle = any (blocked) offset 0))
    order by r.leaf, r.hot desc, r.post_id desc limit 1;
    select f.post_id, darkroom.age_magnitude(f.published_at) as hot into young from darkroom.feed f
    where f.leaf = of_leaf and f.published_at >= coalesce(to_timestamp(best_hot * 86400 - 1), '-infinity')
      and (blocked is null or f.author_handle <> all (blocked))
      and not exists (select from darkroom.ranks r where r.post_id = f.post_id)
    order by f.leaf, f.published_at desc, f.post_id desc limit 1;
    if found and (best is null or (young.hot, young.post_id) > (best_hot, best)) then
        best := young.post_id;
        best_hot := young.hot;
    end if;
end $$;
comment on function darkroom.best_of_leaf is 'The best post by hot in a tile of the map''s level 20, of authors other than those with the blocked handles; nulls if it has none.';
