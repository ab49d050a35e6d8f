-- Anyone who acts for a person shares one of 64 locks with others who act, until their transaction ends. The end of an
-- erasure holds it exclusively, so each act was either committed before, and is found, or comes after.
create or replace function darkroom.lock_person() returns trigger
language plpgsql as $$
declare
    whom text;
begin
    case tg_argv[0]
        when 'added_by' then whom := new.added_by;
        when 'author' then whom := new.author;
        when 'corrected_by' then whom := new.corrected_by;
        when 'decider' then whom := new.decider;
        when 'fair_key' then whom := new.fair_key;
        when 'paused_by' then whom := new.paused_by;
        when 'person' then whom := new.person;
        when 'replayed_by' then whom := new.replayed_by;
        when 'reporter' then whom := new.reporter;
        when 'requested_by' then whom := new.requested_by;
        when 'uploader' then whom := new.uploader;
        when 'voter' then whom := new.voter;
    end case;
    perform from darkroom.locks l where l.name = 'acts' and l.number = darkroom.acts_number(whom) for key share;
    if tg_argv[0] in ('author', 'reporter', 'voter') then
        perform darkroom.refuse_barred(whom);
    end if;
    return new;
end $$;
comment on function darkroom.lock_person is
    'The trigger that makes the end of a person''s erasure and writes in the person''s name take turns, and that refuses comments, '
    'votes and reports of people who are barred. Its argument is the column that names the person.';
