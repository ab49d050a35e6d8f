create or replace function darkroom.cause_message(state darkroom.post_state, cause text, what text default 'post') returns text
language sql immutable parallel safe as $$
    select case
        when state = 'removed' then format('A reviewer has removed this %s. You can appeal.', what)
        when cause = 'every_upload' then format('A person looks at every %s here before others see it.', what)
        when cause = 'uploader_record' then 'Posts of yours were removed lately, so a person looks at this one first.'
        when cause = 'look_alike' then 'The photo resembles one that was removed, so a person looks at it first.'
        when cause = 'listed_hash' then 'The photo resembles one that this service knows, so a person looks at it first.'
        when state = 'hidden' then format('Readers have reported this %s. It is hidden until a person has looked at it.', what) end
$$;
comment on function darkroom.cause_message is
    'A sentence for the uploader about a post or comment that is held, hidden or removed, and the cause of that decision.';
