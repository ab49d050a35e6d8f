create or replace function darkroom.top_of_few(
    board text, few bigint[], filter darkroom.post_filter, wanted integer, latitude double precision,
    longitude double precision, radius_m double precision, from_key double precision, from_id bigint, rest text,
    out ids bigint[], out keys double precision[], out metres double precision[]
)
language plpgsql stable as $$
begin
    execute format(
        'select array_agg(n.post_id), array_agg(n.key), array_agg(n.m) from (
             select * from (
                 select r.post_id, r.%1$I::float8 as key, m
                 from unnest($8) as w (post_id)
                 cross join lateral (select * from darkroom.ranks r where r.post_id = w.post_id %2$s offset 0) r
                 cross join lateral (select darkroom.point_distance_m($5, $6, r.position) as m) d
                 where m <= $7 offset 0) r
             order by key desc, post_id desc limit $4) n', board, rest)
    into ids, keys, metres using filter, from_key, from_id, wanted, latitude, longitude, radius_m, few;
end $$;
comment on function darkroom.top_of_few is
    'The best of some posts on a board, within some metres of a coordinate, for a page of top_posts. rest is that of '
    'top_of_area. The planner settings are those of top_posts.';
