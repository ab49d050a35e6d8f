create or replace function darkroom.votes_for_people() returns boolean
language sql stable parallel safe as $$
    select has_function_privilege(darkroom.caller(), 'darkroom.vote_on_post'::regproc, 'execute')
$$;
comment on function darkroom.votes_for_people is
    'Whether the caller may set people''s votes, and so may ask for them. The role reader may not.';
