-- Rows of the feed are locked as erasures lock them, first the feed and then the counters. A post that is leaving the feed is
-- looked at again: its likes come before the event that hides it, or not at all.
create or replace function darkroom.notify_of_likes(at_most integer default 1000) returns integer
language plpgsql set enable_seqscan = off set jit = off set lock_timeout = '2s' as $$
declare
    due  bigint[];
    seen bigint[];
begin
    -- One at a time, and no tally meanwhile.
    perform darkroom.take_lock('tally_counters');
    due := array(select u.post_id from darkroom.untold_likes u where u.due_at <= now()
                 order by u.due_at, u.post_id limit at_most for update skip locked);
    seen := array(select f.post_id from darkroom.feed f where f.post_id = any (due) order by f.post_id
                  for key share skip locked);
    delete from darkroom.untold_likes u
    where u.post_id = any (seen)
       or u.post_id = any (due) and not exists (select from darkroom.feed f where f.post_id = u.post_id);
    perform from darkroom.post_counters c where c.post_id = any (seen) order by c.post_id for no key update;
    with told as (
        update darkroom.post_counters c set likes_told = c.likes_by_others, told_at = now()
        from darkroom.post_counters o
        where c.post_id = any (seen) and o.post_id = c.post_id and c.likes_by_others > c.likes_told
        returning c.post_id, c.likes_by_others - o.likes_told as likes)
    insert into darkroom.outbox (post_id, event, likes)
    select t.post_id, 'liked', t.likes from told t order by t.post_id;
    return cardinality(seen);
end $$;
comment on function darkroom.notify_of_likes is
    'Writes an event for each of up to at_most posts that have likes by others to tell of: one for all likes that came since '
    'the last. Returns how many posts it looked at.';
