-- May be called by: api
-- Example:
--   select darkroom.erase_person(person => 'user-9', requested_by => 'user-9')
create or replace function darkroom.erase_person(person darkroom.person, requested_by darkroom.person default null) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
#variable_conflict use_variable
declare
    made bigint;
begin
    if person is null then
        raise exception using errcode = 'not_null_violation', message = 'an erasure needs a person',
            hint = 'Give the identifier under which the person''s photos and votes were sent.';
    elsif person = '*' then
        raise exception using errcode = 'check_violation', constraint = 'person_is_not_the_star_of_all_keys',
            message = '* stands for the limits of all keys and is not a person', hint = 'Give a person''s identifier.';
    end if;
    insert into darkroom.person_erasures (person, requested_by) values (person, requested_by)
    on conflict do nothing returning erasure_id into made;
    if not found then
        select e.erasure_id into made from darkroom.person_erasures e where e.person = erase_person.person;
    end if;
    perform darkroom.enqueue_once('erase_person', made, 'erasure', made, 'default', -5);
    return made;
end $$;
comment on function darkroom.erase_person is
    'Orders the erasure of everything stored about a person (Regulation (EU) 2016/679, article 17), and returns the '
    'order''s number; if an order is open already, returns its number. An erasure cannot be undone. requested_by is '
    'stored with the order: who asked, the person or an operator. Errors: 23514 for a person out of range (1 to 200 '
    'characters) or *, 23502 for a missing person.';
