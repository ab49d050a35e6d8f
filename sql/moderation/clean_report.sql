create or replace function darkroom.clean_report() returns trigger
language plpgsql as $$
begin
    new.details := darkroom.clean_text(new.details);
    -- Refused here rather than by the table, whose message would show the reporter's record.
    if not darkroom.has_no_control_characters(new.details, true) then
        raise exception using errcode = 'check_violation', constraint = 'details_have_no_control_characters',
            message = 'the details have control characters', hint = 'Leave them out; several lines are allowed.';
    end if;
    return new;
end $$;
comment on function darkroom.clean_report is
    'The trigger that stores a report''s details in the form of all texts. Errors: 23514 for what no page could show.';
