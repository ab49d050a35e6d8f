-- May be called by: api
-- Example:
--   select darkroom.set_display_name(person => 'user-9', name => 'Zoë')
create or replace function darkroom.set_display_name(person darkroom.person, name darkroom.display_name) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    wanted text := darkroom.clean_word(name);
    key    text;
begin
    if person is null then
        perform darkroom.missing('person');
    -- Refused here rather than by the table, whose message would show the person's whole row.
    elsif not darkroom.has_no_unseen_characters(wanted) then
        raise exception using errcode = 'check_violation', constraint = 'display_name_has_no_unseen_characters',
            message = 'the name has invisible characters', hint = 'Leave them out.';
    end if;
    if wanted is not null then perform darkroom.refuse_barred(person); end if;
    -- An ingest that registers the person does not wait for this transaction: see note_person_seen.
    perform darkroom.take_lock('person', darkroom.lock_number(person));
    -- Two who want one name, or one that the other gives up, do not wait for each other: the first gets what it wants.
    for key in
        select darkroom.name_key(wanted) where wanted is not null
        union
        select darkroom.name_key(p.display_name) from darkroom.people p
        where p.person = set_display_name.person and p.display_name is not null
        order by 1
    loop
        if not darkroom.try_lock('display_name', darkroom.lock_number(key)) then
            raise exception using errcode = 'unique_violation', constraint = 'display_name_is_taken',
                message = 'somebody is taking this name', hint = 'Give another name, or try again.';
        end if;
    end loop;
    -- The index would wait for a review that is changing the other person's row, and show the name.
    if exists (select from darkroom.people p
               where darkroom.name_key(p.display_name) = darkroom.name_key(wanted) and p.display_name is not null
                 and p.person <> set_display_name.person)
    then
        raise exception using errcode = 'unique_violation', constraint = 'display_name_is_taken',
            message = 'another person has this name', hint = 'Give another name.';
    end if;
    insert into darkroom.people as p (person, display_name) values (set_display_name.person, wanted)
    on conflict on constraint people_pkey do update set display_name = wanted;
end $$;
comment on function darkroom.set_display_name is
    'Sets the name that feeds show for a person: 1 to 100 characters, without control characters and without '
    'characters that are invisible or set a direction, except those that emoji and some scripts need; null or blank '
    'for none. It is stored in Unicode''s normal form C (NFC), without spaces at its ends. Names that differ only in '
    'case, sharp s, compatibility forms or spaces count as the same. Errors: 42501 (person_is_barred) for a person who is barred, 23505 (display_name_is_taken) if another '
    'person has it, 23514 for a name that cannot be shown.';
