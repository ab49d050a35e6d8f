-- May be called by: api
-- Example:
--   select argument, reason, message from darkroom.check_display_name(person => 'user-9', name => 'ADA')
-- The arguments have plain types: their domains would refuse the call, and this function tells what they refuse.
create or replace function darkroom.check_display_name(person text, name text)
returns table (argument text, reason text, message text, retry_after_s integer)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    is_none boolean := false;
begin
    begin
        is_none := darkroom.clean_word(name::darkroom.display_name) is null;
        return query select 'name', o.reason, o.message, o.retry_after_s
                     from darkroom.name_objections(coalesce(person, ''), darkroom.clean_word(name)) o;
    exception when check_violation then
        get stacked diagnostics reason = constraint_name;
        return query select 'name', reason, darkroom.rule_message(reason), null::integer;
    end;
    begin
        perform coalesce(person, '')::darkroom.person;
        return query select 'person', 'person_is_barred', b.message, darkroom.seconds_until(b.ends_at)
                     from darkroom.bar_of(person) b where not is_none;
    exception when check_violation then
        get stacked diagnostics reason = constraint_name;
        return query select 'person', reason, darkroom.rule_message(reason), null::integer;
    end;
end $$;
comment on function darkroom.check_display_name is
    'Says what set_display_name would refuse, before the name is chosen: a row for each objection, and none if there is none. argument is '
    'the name of the argument, reason a code, mostly the name of the constraint, and message a sentence for the person. If the name is '
    'free after a while, or the person barred until then, retry_after_s is the number of seconds; otherwise it is null.';
