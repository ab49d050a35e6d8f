create or replace function darkroom.tally_counters(at_most integer default 10000) returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    taken integer;
    voted bigint[];
begin
    perform pg_advisory_xact_lock(hashtextextended('darkroom.tally_counters', 0));
    with gone as (
        delete from darkroom.counter_changes where change_id in (
            select change_id from darkroom.counter_changes order by change_id limit at_most for update skip locked)
        returning *),
    sums as (
        select post_id, comment_id, sum(likes) as likes, sum(dislikes) as dislikes, sum(comments) as comments,
               sum(views) as views
        from gone group by post_id, comment_id),
    of_posts as (
        insert into darkroom.post_counters as c (post_id, likes, dislikes, comments, views)
        select s.post_id, s.likes, s.dislikes, s.comments, s.views from sums s
        where s.comment_id is null and exists (select from darkroom.posts p where p.post_id = s.post_id)
        order by s.post_id
        on conflict (post_id) do update set
            likes = c.likes + excluded.likes, dislikes = c.dislikes + excluded.dislikes,
            comments = c.comments + excluded.comments, views = c.views + excluded.views),
    of_comments as (
        update darkroom.comments c set likes = c.likes + s.likes, dislikes = c.dislikes + s.dislikes
        from sums s where s.comment_id = c.comment_id)
    select count(*), array_agg(s.post_id order by s.post_id)
                         filter (where s.comment_id is null and (s.likes <> 0 or s.dislikes <> 0))
    into taken, voted from sums s;
    if cardinality(voted) > 0 then
        perform darkroom.rank_post(v) from unnest(voted) v;
        insert into darkroom.map_changes (leaf)
        select darkroom.tile_at(f.position[0], f.position[1], 20) from darkroom.feed f where f.post_id = any (voted);
    end if;
    return taken;
end $$;
comment on function darkroom.tally_counters is
    'Adds up to at_most changes to the counters and ranks. Returns how many posts and comments had changes.';
