-- The lock makes publishing a post and moving the end of its activity take turns, so that the post gets the new end.
create or replace function darkroom.set_expiry() returns trigger
language plpgsql as $$
begin
    if tg_op = 'UPDATE' then
        new.expires_at := darkroom.expiry_for(new.category, new.activity, new.published_at);
    elsif new.expires_at is null then
        if new.activity is not null then
            perform darkroom.share_lock('activity', darkroom.lock_number(darkroom.name_key(new.activity)));
            -- It may have become an alias since the upload.
            new.activity := darkroom.activity_named(new.activity);
            perform darkroom.share_lock('activity', darkroom.lock_number(darkroom.name_key(new.activity)));
        end if;
        -- A separate statement, so that it sees the end that the lock waited for.
        new.expires_at := darkroom.expiry_for(new.category, new.activity, new.published_at);
    end if;
    return new;
end $$;
comment on function darkroom.set_expiry is
    'The trigger that gives a post its activity''s own name, and sets when it expires, at the time it is published; a held post is published when it is '
    'approved.';
