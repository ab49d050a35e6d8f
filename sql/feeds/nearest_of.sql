create or replace function darkroom.nearest_of(
    few bigint[], latitude double precision, longitude double precision, wanted integer, most_m double precision,
    since timestamptz, in_category text, in_activity text, further darkroom.post_filter, from_m double precision,
    from_id bigint, out ids bigint[], out metres double precision[]
)
language plpgsql stable as $$
#variable_conflict use_variable
begin
    -- A query that compares what further has would take longer for each post, without further too.
    if not further is null then
        few := array(select f.post_id from unnest(few) as w (post_id) join darkroom.feed f using (post_id)
                     where darkroom.passes(further, f));
    end if;
    select array_agg(n.post_id order by n.m, n.post_id desc), array_agg(n.m order by n.m, n.post_id desc) into ids, metres
    from (select f.post_id, m
          from unnest(few) as w (post_id) join darkroom.feed f using (post_id)
          cross join lateral (select darkroom.point_distance_m(latitude, longitude, f.position) as m) d
          where (most_m >= 20100000 or m <= most_m) and (in_category is null or f.category = in_category)
            and (in_activity is null or f.activity = in_activity) and (since is null or f.published_at >= since)
            and f.expires_at > now()
            and (from_m is null or (m, - f.post_id) > (from_m, - from_id))
          order by m, f.post_id desc limit wanted) n;
end $$;
comment on function darkroom.nearest_of is
    'The nearest of some posts that a filter keeps, up to most_m metres away, for a page of nearest_posts, whose planner '
    'settings it uses.';
