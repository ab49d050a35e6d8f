create or replace function darkroom.move_activity_end() returns trigger
language plpgsql set enable_seqscan = off as $$
declare
    one bigint;
begin
    perform darkroom.take_lock('activity', darkroom.lock_number(darkroom.name_key(new.activity)));
    -- In order of number, as tallies lock the posts' feed rows too. Each update checks the row as it is once locked.
    for one in
        select p.post_id from darkroom.posts p
        where darkroom.name_key(p.activity) = darkroom.name_key(new.activity) and p.state in ('published', 'held', 'hidden') order by p.post_id
    loop
        update darkroom.posts p set expires_at = darkroom.expiry_for(p.category, p.activity, p.published_at)
        where p.post_id = one and p.state in ('published', 'held', 'hidden')
          and p.expires_at is distinct from darkroom.expiry_for(p.category, p.activity, p.published_at);
    end loop;
    return null;
end $$;
comment on function darkroom.move_activity_end is
    'The trigger that sets when an activity''s posts expire, by the policy in force, when the activity''s end is set or '
    'moved.';
