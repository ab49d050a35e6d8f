-- The moderation log is append-only with one exception: the erasure of a person replaces the person's name with the
-- pseudonym, and the notes on the person's posts and comments with null. Any other change is refused, no matter who makes it.
create or replace function darkroom.refuse_all_but_pseudonyms() returns trigger
language plpgsql as $$
declare
    was    jsonb := to_jsonb(old);
    is_now jsonb := to_jsonb(new);
    fields text[] := array['decider', 'author', 'reporter', 'note'];
    field  text;
begin
    if was = is_now or was - fields <> is_now - fields then
        raise exception using errcode = 'restrict_violation', message = format('%s is append-only', tg_table_name),
            hint = 'Add a row; existing rows never change.';
    end if;
    foreach field in array fields loop
        if was -> field is distinct from is_now -> field
           and not (field = 'note' and is_now ->> field is null and exists (
               select from darkroom.post_erasures e
               where e.post_id = (was ->> 'post_id')::bigint and e.cause = 'person' and was ->> 'author' is null
               union all
               select from darkroom.person_erasures e where e.state = 'running' and e.person = was ->> 'author'))
           and not (field <> 'note' and exists (
               select from darkroom.person_erasures e
               where e.state = 'running' and e.person = was ->> field and e.pseudonym = is_now ->> field))
        then
            raise exception using errcode = 'restrict_violation', message = format('%s is append-only', tg_table_name),
                hint = 'To erase a person from it, call darkroom.erase_person.';
        end if;
    end loop;
    return new;
end $$;
comment on function darkroom.refuse_all_but_pseudonyms is
    'The trigger of tables whose rows never change, except for the pseudonyms of persons being erased.';
