-- What reading posts, feeds, moderation and erasure as a whole has found: races, and rows that were left behind.

-- Between the tally's last look and this one, whoever had counted on the tally may have ended. Such changes lay there
-- until somebody else voted, or the schedule came.
create or replace function darkroom.want_tally_after(start bigint) returns void
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    -- Numbers of transactions are unique for the server, so those of other databases are left out by their sessions.
    is_awaited boolean := pg_snapshot_xmin(pg_current_snapshot())::text::bigint < start and exists (
        select from pg_locks l join pg_stat_activity a using (pid)
        where l.locktype = 'transactionid' and l.mode = 'ExclusiveLock' and l.granted
          and a.datid = (select oid from pg_database where datname = current_database())
          and l.transactionid::text::bigint < (start & 4294967295));
begin
    -- A statement of its own: it sees what those have left that were not under way any more just now.
    if is_awaited or exists (select from darkroom.counter_changes) or exists (select from darkroom.map_changes)
       or exists (select from darkroom.outbox where number is null)
    then
        perform darkroom.want_tally();
    end if;
end $$;
comment on function darkroom.want_tally_after is
    'Queues another tally where there is something to count again, or a transaction of this database that began before start, the first number that was free then, is still under way.';

-- The lock on the post's row of the feed lets a tally and a change of the post follow each other: else a post that is
-- just being hidden would keep a rank for good, and one that is moved could get one by counters of before.
create or replace function darkroom.rank_post(target bigint) returns void
language plpgsql set enable_seqscan = off set jit = off as $$
begin
    perform from darkroom.feed f where f.post_id = target for no key update;
    insert into darkroom.ranks as r (
        post_id, published_at, expires_at, position, tile, wide_tile, place, category, event, likes, dislikes,
        wilson, weighted, magnitude, hot)
    select f.post_id, f.published_at, f.expires_at, f.position, f.tile, f.wide_tile, f.place, f.category, f.event,
           c.likes, c.dislikes,
           darkroom.wilson_score(c.likes, c.dislikes),
           darkroom.weighted_rating(c.likes, c.dislikes, a.average_rating, a.average_votes),
           darkroom.vote_magnitude(c.likes, c.dislikes),
           darkroom.vote_magnitude(c.likes, c.dislikes) + darkroom.age_magnitude(f.published_at)
    from darkroom.feed f join darkroom.post_counters c using (post_id), darkroom.rating_averages a
    where f.post_id = target and c.likes + c.dislikes > 0
    on conflict (post_id) do update set
        published_at = excluded.published_at, expires_at = excluded.expires_at, position = excluded.position,
        tile = excluded.tile, wide_tile = excluded.wide_tile, place = excluded.place, category = excluded.category,
        event = excluded.event, likes = excluded.likes, dislikes = excluded.dislikes, wilson = excluded.wilson, weighted = excluded.weighted,
        magnitude = excluded.magnitude, hot = excluded.hot;
    if not found then
        delete from darkroom.ranks where post_id = target;
    end if;
end $$;
comment on function darkroom.rank_post is 'Reckons a post''s row in ranks from the feed and its counters; none where it is not seen or has no votes.';
-- What such meetings have left so far.
delete from darkroom.ranks r where not exists (select from darkroom.feed f where f.post_id = r.post_id);
do $$
begin
    perform darkroom.rank_post(r.post_id)
    from darkroom.ranks r join darkroom.post_counters c using (post_id)
    where (r.likes, r.dislikes) <> (c.likes, c.dislikes);
end $$;

-- Functions that were replaced run as their callers until this gives them the owner's rights again.
select darkroom.grant_roles();
