-- The lock on the post's feed row makes a tally and a change of the post take turns. Without it, a post that is
-- being hidden could keep a rank permanently, and a post that is moved could be ranked by outdated counters.
create or replace function darkroom.rank_post(target bigint) returns void
language plpgsql set enable_seqscan = off set jit = off as $$
begin
    perform from darkroom.feed f where f.post_id = target for no key update;
    insert into darkroom.ranks as r (
        post_id, published_at, expires_at, position, tile, wide_tile, country, division, city, place, category, activity,
        likes, dislikes, wilson, magnitude, hot)
    select f.post_id, f.published_at, f.expires_at, f.position, f.tile, f.wide_tile, f.country, f.division, f.city,
           f.place, f.category, f.activity, c.likes, c.dislikes, darkroom.wilson_score(c.likes, c.dislikes),
           darkroom.vote_magnitude(c.likes, c.dislikes),
           darkroom.vote_magnitude(c.likes, c.dislikes) + darkroom.age_magnitude(f.published_at)
    from darkroom.feed f join darkroom.post_counters c using (post_id)
    where f.post_id = target and (c.likes > 0 or c.dislikes > 0)
    on conflict (post_id) do update set
        published_at = excluded.published_at, expires_at = excluded.expires_at, position = excluded.position,
        tile = excluded.tile, wide_tile = excluded.wide_tile, country = excluded.country, division = excluded.division,
        city = excluded.city, place = excluded.place, category = excluded.category, activity = excluded.activity,
        likes = excluded.likes, dislikes = excluded.dislikes, wilson = excluded.wilson, magnitude = excluded.magnitude, hot = excluded.hot;
    if not found then
        delete from darkroom.ranks where post_id = target;
    end if;
    insert into darkroom.map_changes (leaf, post_id, posts, sum_x, sum_y)
    select f.leaf, target, 0, 0, 0 from darkroom.feed f where f.post_id = target;
end $$;
comment on function darkroom.rank_post is
    'Writes a post''s row of ranks again from its feed row and counters, and queues it for the map; deletes the row if '
    'the post cannot be seen or has no votes.';
