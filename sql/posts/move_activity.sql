-- The locks make publishing and this take turns: see set_expiry.
create or replace function darkroom.move_activity(target text) returns boolean
language plpgsql set enable_seqscan = off set jit = off set lock_timeout = '2s' as $$
#variable_conflict use_variable
declare
    keys text[];
    one  bigint;
begin
    perform from darkroom.activities a where a.activity = target and a.is_changed for update skip locked;
    if not found then
        return false;
    end if;
    keys := array(select n.key from darkroom.activity_names n where n.activity = target);
    perform darkroom.take_lock('activity', l.number)
    from (select distinct darkroom.lock_number(n) as number from unnest(keys) n order by 1) l;
    -- In order of number, as everyone who locks several.
    perform from darkroom.posts p where darkroom.name_key(p.activity) = any (keys) order by p.post_id for no key update nowait;
    -- The trigger of ends_at moves the ends of the posts that have the activity.
    update darkroom.activities a
    set ends_at = a.new_ends_at, new_ends_at = null, is_changed = false where a.activity = target;
    for one in
        select p.post_id from darkroom.posts p
        where darkroom.name_key(p.activity) = any (keys) and p.activity <> target order by p.post_id
    loop
        update darkroom.posts p
        set activity = target, expires_at = darkroom.expiry_for(p.category, target, p.published_at) where p.post_id = one;
    end loop;
    -- The policies for all of its names are those of all of its posts.
    for one in
        select p.post_id from darkroom.posts p
        cross join lateral darkroom.location_policy_for(p.category, p.activity) l
        where darkroom.name_key(p.activity) = any (keys) and p.state <> 'expired' and p.place_source = 'gazetteer'
          and p.location_policy > 0
          and (l.privacy > p.location_privacy or l.minimum_population > p.minimum_population)
        order by p.post_id
    loop
        update darkroom.posts p set location_policy = 0 where p.post_id = one;
        perform darkroom.enqueue_once('relocate', one, 'relocate', one, 'default', -5);
    end loop;
    return true;
end $$;
comment on function darkroom.move_activity is
    'Puts into force what apps have changed of an activity: the end of its posts, and the name of posts that have an alias or '
    'another spelling of it. Queues the relocation of those for which a stricter location policy is in force now. Returns '
    'false if nothing was changed, or another transaction holds the activity. Errors: 55P03 if another one holds a post.';
