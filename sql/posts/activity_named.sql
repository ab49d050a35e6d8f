-- PL/pgSQL, so that an upload without an activity opens no table.
create or replace function darkroom.activity_named(name text) returns text
language plpgsql stable set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    cleaned constant text := darkroom.clean_word(name);
begin
    -- No activity has a longer name.
    if cleaned is null or char_length(cleaned) > 100 then
        return cleaned;
    end if;
    return coalesce((select n.activity from darkroom.activity_names n where n.key = darkroom.name_key(cleaned)), cleaned);
end $$;
comment on function darkroom.activity_named is
    'The activity that is meant by a name or an alias, in any case and normal form; the name as it is stored, if no activity of '
    'darkroom.activities has it; null if it is blank.';
