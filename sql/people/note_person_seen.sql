create or replace function darkroom.note_person_seen(person text, since timestamptz default null) returns darkroom.people
language plpgsql as $$
#variable_conflict use_variable
declare
    known darkroom.people;
begin
    -- Clocks of apps may be wrong by some hours.
    if not isfinite(since) or since < '1970-01-01 00:00:00+00' or since > now() + interval '1 day' then
        raise exception using errcode = 'invalid_parameter_value',
            message = 'an account cannot have been created then',
            hint = 'Give a time from 1970 to now, or leave it out if you do not know it.';
    end if;
    select * into known from darkroom.people p where p.person = note_person_seen.person;
    -- A transaction that registers the same person now may take long to commit, and this one does not wait for it.
    if not found and darkroom.try_lock('person', darkroom.lock_number(person)) then
        insert into darkroom.people (person, first_seen_at) values (person, least(since, now()))
        on conflict do nothing returning * into known;
        if not found then
            select * into known from darkroom.people p where p.person = note_person_seen.person;
        end if;
    end if;
    known.person := person;
    known.first_seen_at := least(known.first_seen_at, since, now());
    known.agreed := coalesce(known.agreed, 0);
    known.disagreed := coalesce(known.disagreed, 0);
    return known;
end $$;
comment on function darkroom.note_person_seen is
    'Registers a person who is unknown, as of the given time or now, and returns what is known of the person, as of the '
    'earlier of both times. Waits for nobody: if another transaction is registering the same person, it leaves that to it. '
    'Errors: 22023 for a time before 1970, more than a day from now, or infinite.';
