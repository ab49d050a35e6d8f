create or replace function darkroom.top_of_few(
    board text, few bigint[], times timestamptz[], wanted integer, behind double precision,
    from_key double precision, from_id bigint, out ids bigint[], out keys double precision[]
)
language plpgsql stable as $$
#variable_conflict use_variable
begin
    select array_agg(n.post_id), array_agg(n.key) into ids, keys
    from (select f.post_id, k.key
          from unnest(few, times) as f (post_id, published_at)
          cross join darkroom.rating_averages a
          left join darkroom.ranks r on r.post_id = f.post_id
          cross join lateral (
              select case when r.post_id is null then (extract(epoch from f.published_at) * 1000000)::float8 - behind
                          when board = 'likes' then r.likes when board = 'hot' then r.hot when board = 'wilson' then r.wilson
                          else darkroom.weighted_rating(r.likes, r.dislikes, a.average_rating, a.average_votes) end as key) k
          where from_key is null or (k.key, f.post_id) < (from_key, from_id)
          order by k.key desc, f.post_id desc limit wanted) n;
end $$;
comment on function darkroom.top_of_few is
    'A page of top_posts of some posts, given with their times of publishing. The key of one without votes '
    'is its time in microseconds less behind. The planner settings are those of top_posts.';
