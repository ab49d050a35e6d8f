-- Some changes are put back: those of rows that another open transaction holds, so that everyone else's are counted
-- meanwhile. Posts are locked as a foreign key would lock them, or by their rows of the feed, so that nothing is written
-- for a post that is being erased. Locks rows in the order in which erasures do: feed, posts, comments, counters.
create or replace function darkroom.tally_counters(at_most integer default 10000) returns integer
language plpgsql set enable_seqscan = off set jit = off set lock_timeout = '2s' as $$
declare
    sums    darkroom.counter_changes[];
    named   bigint[];
    free    bigint[];
    written bigint[];
    taken   integer;
    one     bigint;
    first_ranks constant integer := 1000;
begin
    perform darkroom.take_lock('tally_counters');
    with gone as (
        delete from darkroom.counter_changes where change_id in (
            select change_id from darkroom.counter_changes order by change_id limit at_most for update skip locked)
        returning *)
    select array_agg(s) into sums
    from (select 0::bigint, post_id, comment_id, sum(likes)::integer, sum(dislikes)::integer, sum(comments)::integer, sum(views)::bigint,
                 sum(likes_by_others)::integer
          from gone group by post_id, comment_id) as s;
    if sums is null then
        return 0;
    end if;
    named := array(select distinct s.post_id from unnest(sums) s order by 1);
    free := array(select f.post_id from darkroom.feed f where f.post_id = any (named) order by f.post_id
                  for no key update skip locked);
    free := free || array(
        select p.post_id from darkroom.posts p
        where p.post_id = any (named) and p.post_id <> all (free)
          and not exists (select from darkroom.feed f where f.post_id = p.post_id)
        order by p.post_id for key share skip locked);
    written := array(select c.comment_id from darkroom.comments c
                     where c.comment_id in (select s.comment_id from unnest(sums) s where s.post_id = any (free))
                     order by c.comment_id for no key update skip locked);
    insert into darkroom.counter_changes (post_id, comment_id, likes, dislikes, comments, views, likes_by_others)
    select s.post_id, s.comment_id, s.likes, s.dislikes, s.comments, s.views, s.likes_by_others
    from unnest(sums) s
    where exists (select from darkroom.posts p where p.post_id = s.post_id)
      and (s.post_id <> all (free)
           or s.comment_id <> all (written)
              and exists (select from darkroom.comments c where c.comment_id = s.comment_id));
    get diagnostics taken = row_count;
    taken := cardinality(sums) - taken;
    update darkroom.comments c set likes = c.likes + s.likes, dislikes = c.dislikes + s.dislikes
    from unnest(sums) s where s.comment_id = c.comment_id and c.comment_id = any (written);
    insert into darkroom.post_counters as c (post_id, likes, dislikes, comments, views, likes_by_others)
    select s.post_id, s.likes, s.dislikes, s.comments, s.views, s.likes_by_others
    from unnest(sums) s where s.comment_id is null and s.post_id = any (free) order by s.post_id
    on conflict (post_id) do update set
        likes = c.likes + excluded.likes, dislikes = c.dislikes + excluded.dislikes,
        comments = c.comments + excluded.comments, views = c.views + excluded.views,
        likes_by_others = c.likes_by_others + excluded.likes_by_others;
    insert into darkroom.untold_likes (post_id, due_at)
    select c.post_id, greatest(now(), c.told_at + (select g.like_gathering from darkroom.settings g))
    from darkroom.post_counters c
    where c.post_id in (select s.post_id from unnest(sums) s where s.likes_by_others > 0 and s.post_id = any (free))
      and c.likes_by_others > c.likes_told
    order by c.post_id on conflict do nothing;
    update darkroom.rating_averages a set most_views = v.views
    from (select max(c.views) as views from darkroom.post_counters c
          where c.post_id in (select s.post_id from unnest(sums) s where s.views > 0 and s.post_id = any (free))) v
    where v.views > a.most_views;
    perform darkroom.rank_post(v.post_id)
    from (select s.post_id from unnest(sums) s
          where s.comment_id is null and (s.likes <> 0 or s.dislikes <> 0) and s.post_id = any (free)
          order by s.post_id offset 0) v;
    -- As long as few posts have votes, each vote may move the averages far.
    if not exists (select from darkroom.ranks offset first_ranks limit 1)
       or exists (select from darkroom.rating_averages where computed_at < now() - interval '1 hour')
    then
        perform darkroom.recompute_averages();
    end if;
    -- Somebody acted on a post while it was being erased.
    foreach one in array named loop
        continue when exists (select from darkroom.posts p where p.post_id = one);
        begin
            perform darkroom.erase_leftovers(one);
        exception when lock_not_available then
            insert into darkroom.counter_changes (post_id) values (one);
            taken := taken - (select count(*) from unnest(sums) s where s.post_id = one);
        end;
    end loop;
    return taken;
end $$;
comment on function darkroom.tally_counters is
    'Adds up to at_most changes to the counters and ranks, notes which posts have likes to tell of, and erases what came to a post after its erasure. Returns for '
    'how many posts and comments; changes of rows that another transaction holds are left, and not counted.';
