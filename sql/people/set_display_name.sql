-- May be called by: api
-- Example:
--   select darkroom.set_display_name(person => 'user-9', name => 'Zoë')
create or replace function darkroom.set_display_name(person darkroom.person, name darkroom.display_name) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    wanted  text := darkroom.clean_word(name);
    key     text := darkroom.name_key(wanted);
    old_key text;
    rules   record;
    one     record;
begin
    if person is null then
        perform darkroom.missing('person');
    end if;
    if wanted is not null then perform darkroom.refuse_barred(person); end if;
    -- An ingest that registers the person does not wait for this transaction: see note_person_seen.
    perform darkroom.take_lock('person', darkroom.lock_number(person));
    old_key := (select darkroom.name_key(p.display_name) from darkroom.people p where p.person = person);
    select s.unique_names as are_unique, s.given_up_name_days as days into rules from darkroom.settings s where s.is_only_row;
    -- Two who want one name, or one that the other gives up, do not wait for each other: the first gets what it wants.
    if rules.are_unique then
        for one in select distinct darkroom.lock_number(k) as number from unnest(array[key, old_key]) k where k is not null order by 1 loop
            if not darkroom.try_lock('display_name', one.number) then
                raise exception using errcode = 'unique_violation', constraint = 'display_name_is_taken',
                    message = 'somebody is taking this name', hint = 'Give another name, or try again.';
            end if;
        end loop;
    end if;
    -- Refused here rather than by the table, whose message would show the person's whole row.
    for one in select o.* from darkroom.name_objections(person, wanted) o loop
        raise exception using constraint = one.reason, message = one.message, detail = coalesce(one.retry_after_s::text, ''),
            errcode = case one.reason when 'display_name_has_no_unseen_characters' then 'check_violation' else 'unique_violation' end;
    end loop;
    insert into darkroom.people as p (person, display_name) values (person, wanted)
    on conflict on constraint people_pkey do update set display_name = wanted;
    -- After the person's row, as an erasure has it.
    if rules.are_unique and key is distinct from old_key then
        delete from darkroom.given_up_names g where g.name_key = key and g.person = person;
        insert into darkroom.given_up_names (name_key, person)
        select old_key, person where old_key is not null and rules.days > 0
        on conflict on constraint given_up_names_pkey do update set person = excluded.person, given_up_at = excluded.given_up_at;
        -- Else one person could keep any number of names from everybody.
        delete from darkroom.given_up_names g where g.person = person and g.name_key = any (array(
            select o.name_key from darkroom.given_up_names o where o.person = person order by o.given_up_at desc offset 10));
    end if;
end $$;
comment on function darkroom.set_display_name is
    'Sets the name that feeds show for a person: 1 to 100 characters, without control characters and without '
    'characters that are invisible or set a direction, except those that emoji and some scripts need; null or blank '
    'for none. It is stored in Unicode''s normal form C (NFC), without spaces at its ends. Names that differ only in '
    'case, sharp s, compatibility forms or spaces count as the same. check_display_name says before what this refuses. '
    'Errors: 42501 (person_is_barred) for a person who is barred, 23505 (display_name_is_taken) if another person has it, and 23505 '
    '(display_name_was_given_up) if another person had it less than settings.given_up_name_days ago, both only with settings.unique_names; '
    '23514 for a name that cannot be shown.';
