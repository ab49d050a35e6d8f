create or replace function darkroom.name_objections(person text, name text)
returns table (reason text, message text, retry_after_s integer)
language plpgsql stable rows 1 set enable_seqscan = off as $$
#variable_conflict use_variable
declare
    key     constant text := darkroom.name_key(name);
    free_at timestamptz;
begin
    if not darkroom.has_no_unseen_characters(name) then
        reason := 'display_name_has_no_unseen_characters';
    elsif not (select s.unique_names from darkroom.settings s where s.is_only_row)
          -- What a person has they keep, also if others got it while names were not unique.
          or key = (select darkroom.name_key(p.display_name) from darkroom.people p where p.person = person)
    then
        return;
    elsif exists (select from darkroom.people p
                  where darkroom.name_key(p.display_name) = key and p.display_name is not null and p.person <> person)
    then
        reason := 'display_name_is_taken';
    else
        free_at := (select g.given_up_at + make_interval(days => s.given_up_name_days)
                    from darkroom.given_up_names g join darkroom.settings s on s.is_only_row
                    where g.name_key = key and g.person <> person);
        if free_at is null or free_at <= now() then return; end if;
        reason := 'display_name_was_given_up';
        retry_after_s := darkroom.seconds_until(free_at);
    end if;
    message := darkroom.rule_message(reason)
        || coalesce(to_char(free_at at time zone 'UTC', '" This one is free from "FMDD FMMonth YYYY, HH24:MI" UTC."'), '');
    return next;
end $$;
comment on function darkroom.name_objections is
    'What a person who wants this name, as clean_word returns it, is told: the rule that it breaks, a sentence, and in how many '
    'seconds they can have it, null for never. No row if they can have it.';
