create or replace function darkroom.cause_message(state darkroom.post_state, cause text) returns text
language sql immutable parallel safe as $$
    select case
        when state = 'removed' then 'A reviewer has removed this post. You can appeal.'
        when cause = 'every_upload' then 'A person looks at every post here before others see it.'
        when cause = 'uploader_record' then 'Posts of yours were removed lately, so a person looks at this one first.'
        when cause = 'look_alike' then 'The photo resembles one that was removed, so a person looks at it first.'
        when cause = 'listed_hash' then 'The photo resembles one that this service knows, so a person looks at it first.'
        when state = 'hidden' then 'Readers have reported this post. It is hidden until a person has looked at it.' end
$$;
comment on function darkroom.cause_message is
    'A sentence for the uploader about a post that is held, hidden or removed, and the cause of that decision.';
