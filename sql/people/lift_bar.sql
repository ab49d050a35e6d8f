-- May be called by: moderator
-- Example:
--   select darkroom.lift_bar('user-7', moderator => 'olga')
create or replace function darkroom.lift_bar(person darkroom.person, moderator darkroom.person, note darkroom.prose default null)
returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
begin
    if num_nulls(person, moderator) > 0 then
        perform darkroom.missing(case when person is null then 'person' else 'moderator' end);
    elsif not (darkroom.current_bar(person)).is_barred then
        return false;
    end if;
    insert into darkroom.bars (person, decider, ends_at, note) values (person, moderator, now(), darkroom.clean_text(note));
    return true;
end $$;
comment on function darkroom.lift_bar is
    'Ends the bar of a person, and keeps who did so. False if the person was not barred. Errors: 23502 for a missing person or '
    'moderator, 23514 for values out of range.';
