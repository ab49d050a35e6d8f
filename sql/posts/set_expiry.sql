-- The lock makes publishing a post and moving the end of its activity take turns, so that the post gets the new end.
create or replace function darkroom.set_expiry() returns trigger
language plpgsql as $$
declare
    policy record;
begin
    if tg_op = 'UPDATE' then
        new.expires_at := darkroom.expiry_for(new.category, new.activity, new.published_at);
    elsif new.expires_at is null then
        if new.activity is not null then
            perform darkroom.share_lock('activity', darkroom.lock_number(darkroom.name_key(new.activity)));
            -- It may have become an alias since the upload.
            new.activity := darkroom.activity_named(new.activity);
            perform darkroom.share_lock('activity', darkroom.lock_number(darkroom.name_key(new.activity)));
            -- The activity may have got a stricter location policy since the worker looked, with another name.
            select * into policy from darkroom.location_policy_for(new.category, new.activity);
            if new.location_policy > 0 and (policy.privacy > new.location_privacy or policy.minimum_population > new.minimum_population)
            then
                new.location_policy := 0;
                perform darkroom.enqueue_once('relocate', new.post_id, 'relocate', new.post_id, 'default', -5);
            end if;
        end if;
        -- A separate statement, so that it sees the end that the lock waited for.
        new.expires_at := darkroom.expiry_for(new.category, new.activity, new.published_at);
    end if;
    return new;
end $$;
comment on function darkroom.set_expiry is
    'The trigger that gives a post its activity''s own name, and sets when it expires, at the time it is published; a held post is published when it is '
    'approved.';
