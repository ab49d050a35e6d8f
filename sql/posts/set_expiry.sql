-- A post that was being published while the end of its event moved kept the old end: now one waits for the other.
create or replace function darkroom.set_expiry() returns trigger
language plpgsql as $$
begin
    if tg_op = 'UPDATE' then
        new.expires_at := darkroom.expiry_for(new.category, new.event, new.published_at);
    elsif new.expires_at is null then
        if new.event is not null then
            perform pg_advisory_xact_lock_shared(hashtextextended(new.event, 20260124));
        end if;
        -- A statement of its own: it sees the end that was waited for.
        new.expires_at := darkroom.expiry_for(new.category, new.event, new.published_at);
    end if;
    return new;
end $$;
comment on function darkroom.set_expiry is
    'The trigger that sets when a post expires at its publishing, which for one that was held is its approval.';
