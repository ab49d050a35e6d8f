-- May be called by: moderator
-- Example:
--   select darkroom.bar_person('user-9', moderator => 'olga', reason => 'Advertising in every post.', ends_at => '2030-01-01 00:00+00')
create or replace function darkroom.bar_person(
    person darkroom.person, moderator darkroom.person, reason darkroom.line, ends_at darkroom.moment default null,
    note darkroom.prose default null)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    told text := darkroom.clean_text(reason);
begin
    if num_nulls(person, moderator, told) > 0 then
        perform darkroom.missing(case when person is null then 'person' when moderator is null then 'moderator' else 'reason' end);
    elsif ends_at <= now() then
        raise exception using errcode = 'invalid_parameter_value', message = 'ends_at is over',
            hint = 'Give a time to come, or leave it out for a bar that has no end. lift_bar ends a bar.';
    end if;
    insert into darkroom.bars (person, decider, reason, ends_at, note)
    values (person, moderator, told, ends_at, darkroom.clean_text(note));
end $$;
comment on function darkroom.bar_person is
    'From now on the person cannot upload, edit, comment, vote, report or take a name, until ends_at or until lift_bar. Votes can be taken back, and '
    'posts and comments deleted; what waits in the queue is still published. reason, one line of at most 200 characters, is told to the '
    'person; note is for moderators. Another call changes the reason and the end. Each is kept with the moderator and the time: '
    'see bars_of. Errors: 22023 for an end that is over, 23502 for a missing or blank person, moderator or reason, 23514 for '
    'values out of range.';
