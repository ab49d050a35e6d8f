create or replace function darkroom.expire_posts(at_most integer default 1000) returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    due bigint[];
    one bigint;
begin
    select array_agg(d.post_id order by d.expires_at, d.post_id) into due
    from (select p.post_id, p.expires_at from darkroom.posts p
          where p.state in ('published', 'hidden') and p.expires_at is not null and p.expires_at <= now()
            -- A person must still decide whether a hidden post comes back.
            and not (p.state = 'hidden' and exists (select from darkroom.reviews r where r.post_id = p.post_id and r.comment_id = 0))
            -- The activity's end is being moved, perhaps to a later time, which the post does not have yet.
            and not (p.activity is not null and exists (
                select from darkroom.activity_names n join darkroom.activities a using (activity)
                where n.key = darkroom.name_key(p.activity) and (a.is_changed or a.moved_to is not null)))
          order by p.expires_at, p.post_id limit at_most for no key update of p skip locked) d;
    -- In order of number, as tallies lock the posts' feed rows too; otherwise they could deadlock.
    for one in select u from unnest(due) u order by u loop
        update darkroom.posts p set state = 'expired' where p.post_id = one;
    end loop;
    delete from darkroom.reviews r where r.post_id = any (due) and not r.is_binding;
    insert into darkroom.outbox (post_id, event)
    select u.post_id, 'expired' from unnest(due) with ordinality as u (post_id, place) order by u.place;
    return coalesce(cardinality(due), 0);
end $$;
comment on function darkroom.expire_posts is
    'Expires up to at_most posts that are due, and writes their events in the order of their times. Returns how many. '
    'Leaves those whose activity an app has changed until they have followed: see move_activity.';
