create or replace function darkroom.top_of_few(
    board text, few bigint[], times timestamptz[], distances double precision[], wanted integer, behind double precision,
    from_key double precision, from_id bigint, out ids bigint[], out keys double precision[], out metres double precision[]
)
language plpgsql stable as $$
#variable_conflict use_variable
begin
    select array_agg(n.post_id), array_agg(n.key), array_agg(n.m) into ids, keys, metres
    from (select f.post_id, k.key, f.m
          from unnest(few, times, distances) as f (post_id, published_at, m)
          left join darkroom.ranks r on r.post_id = f.post_id
          cross join lateral (
              select case when r.post_id is null then (extract(epoch from f.published_at) * 1000000)::float8 - behind
                          when board = 'likes' then r.likes when board = 'wilson' then r.wilson
                          when board = 'weighted' then r.weighted else r.hot end as key) k
          where from_key is null or (k.key, f.post_id) < (from_key, from_id)
          order by k.key desc, f.post_id desc limit wanted) n;
end $$;
comment on function darkroom.top_of_few is
    'A page of top_posts of some posts, given with their times of publishing and their distances. The key of one without votes '
    'is its time in microseconds less behind. The planner settings are those of top_posts.';
