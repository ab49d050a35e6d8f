create or replace function darkroom.checked_vote(vote text) returns darkroom.vote
language plpgsql stable as $$
begin
    if vote = 'dislike' and not (select s.takes_dislikes from darkroom.settings s where s.is_only_row) then
        raise exception using errcode = 'check_violation', constraint = 'dislikes_are_off',
            message = 'dislikes are turned off', hint = 'Give like, or none to take a vote back.';
    end if;
    return nullif(darkroom.checked_choice('vote', vote, '{like,dislike,none}'), 'none');
end $$;
comment on function darkroom.checked_vote is
    'The vote that somebody wants to have; null for none. Errors: 22023 for another word or null, 23514 for a dislike if they are turned off.';
