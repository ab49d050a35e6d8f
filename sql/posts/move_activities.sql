-- For a job: an app's transaction may stay open, and nobody who publishes shall wait for it. So an app only notes what it
-- wants, and this moves one activity in a short transaction. The locks make publishing and this take turns: see set_expiry.
create or replace function darkroom.move_activities() returns integer
language plpgsql set enable_seqscan = off set jit = off set lock_timeout = '2s' as $$
declare
    target text;
    keys   text[];
    one    bigint;
begin
    select a.activity into target from darkroom.activities a where a.is_changed order by a.activity_id limit 1
    for update skip locked;
    if not found then
        return 0;
    end if;
    keys := array(select n.key from darkroom.activity_names n where n.activity = target);
    perform darkroom.take_lock('activity', l.number)
    from (select distinct darkroom.lock_number(n) as number from unnest(keys) n order by 1) l;
    -- In order of number, as everyone who locks several.
    perform from darkroom.posts p where darkroom.name_key(p.activity) = any (keys) order by p.post_id for no key update;
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
    return 1;
end $$;
comment on function darkroom.move_activities is
    'Puts into force what apps have changed of one activity: the end of its posts, and the name of posts that have '
    'an alias or another spelling of it. '
    'Returns whether there was one. For the tally job.';
