create or replace function darkroom.check_decision(decision text, moderator text, note text, law text, terms text)
returns void
language plpgsql immutable as $$
begin
    if octet_length(decision) > 20 or decision <> all (array['approve', 'remove', 'restore']) then
        raise exception using errcode = 'invalid_parameter_value', message = 'there is no such decision',
            hint = 'Give approve, remove or restore.';
    elsif decision is null or moderator is null then
        raise exception using errcode = 'not_null_violation', message = 'a decision needs a moderator and what is decided',
            hint = 'Give decision and moderator.';
    elsif octet_length(moderator) > 800 or char_length(moderator) not between 1 and 200 then
        raise exception using errcode = 'check_violation', constraint = 'moderator_is_1_to_200_characters',
            message = 'the moderator''s name is too long or empty', hint = 'Give 1 to 200 characters.';
    elsif octet_length(note) > 20000 or char_length(note) > 5000 then
        raise exception using errcode = 'check_violation', constraint = 'note_is_at_most_5000_characters',
            message = 'the note is too long', hint = 'Give at most 5,000 characters.';
    elsif greatest(octet_length(law), octet_length(terms)) > 8000 or greatest(char_length(law), char_length(terms)) > 2000 then
        raise exception using errcode = 'check_violation', constraint = 'ground_reference_is_at_most_2000_characters',
            message = 'the ground is too long', hint = 'Give at most 2,000 characters.';
    elsif (law is not null or terms is not null) and decision <> 'remove' or law is not null and terms is not null then
        raise exception using errcode = 'invalid_parameter_value', message = 'the grounds do not fit the decision',
            hint = 'Give law or terms, not both, and only to remove.';
    end if;
end $$;
comment on function darkroom.check_decision is
    'Checks what a moderator decides before any work. Errors: 22023, 23502 and 23514.';
