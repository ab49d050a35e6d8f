-- Replaces: move_activity(text)
-- The locks make publishing and this take turns: see set_expiry. A post that is published later is right from the start, so it
-- does not matter whether the cursor has passed it.
create or replace function darkroom.move_activity(target text, at_most integer default 200) returns boolean
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set jit = off set lock_timeout = '2s' as $$
#variable_conflict use_variable
declare
    keys   text[];
    after  bigint;
    chosen bigint[];
    one    bigint;
begin
    select a.moved_to into after from darkroom.activities a
    where a.activity = target and (a.is_changed or a.moved_to is not null) for update skip locked;
    if not found then
        return false;
    end if;
    keys := array(select n.key from darkroom.activity_names n where n.activity = target);
    if after is null then
        perform darkroom.take_lock('activity', l.number)
        from (select distinct darkroom.lock_number(n) as number from unnest(keys) n order by 1) l;
        -- What apps change from now on is for another round.
        update darkroom.activities a
        set ends_at = a.new_ends_at, new_ends_at = null, is_changed = false, moved_to = 0, posts_moved = 0
        where a.activity = target;
        after := 0;
    end if;
    chosen := array(
        select p.post_id from unnest(keys) k
        cross join lateral (
            select p.post_id from darkroom.posts p
            where darkroom.name_key(p.activity) = k and p.post_id > after order by p.post_id limit at_most) p
        order by p.post_id limit at_most);
    -- In order of number, as everyone who locks several.
    perform from darkroom.posts p where p.post_id = any (chosen) order by p.post_id for no key update nowait;
    for one in select u from unnest(chosen) u order by u loop
        update darkroom.posts p
        set activity = target, expires_at = case when l.is_there then l.ending else p.expires_at end
        from (select q.post_id, q.state in ('published', 'held', 'hidden') as is_there,
                     darkroom.expiry_for(q.category, target, q.published_at) as ending
              from darkroom.posts q where q.post_id = one) l
        where p.post_id = l.post_id
          and (p.activity <> target or l.is_there and p.expires_at is distinct from l.ending);
    end loop;
    -- The policies for all of its names are those of all of its posts.
    for one in
        select p.post_id from darkroom.posts p
        cross join lateral darkroom.location_policy_for(p.category, p.activity) l
        where p.post_id = any (chosen) and p.state <> 'expired' and p.place_source = 'gazetteer'
          and p.location_policy > 0
          and (l.privacy > p.location_privacy or l.minimum_population > p.minimum_population)
        order by p.post_id
    loop
        perform darkroom.coarsen_location(one);
    end loop;
    update darkroom.activities a
    set (moved_to, posts_moved) = (select chosen[at_most], a.posts_moved + at_most where cardinality(chosen) = at_most)
    where a.activity = target;
    return true;
end $$;
comment on function darkroom.move_activity is
    'Puts into force what apps have changed of an activity, for up to at_most of its posts, and goes on with the next ones when it '
    'is called again: the end of its posts, and the name of posts that have an alias or another spelling of it. Makes the '
    'location coarser of those for which a stricter policy is in force now. Returns false if nothing was changed, or '
    'another transaction holds the activity. Errors: 55P03 if another one holds a post.';
