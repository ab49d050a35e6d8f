create or replace function darkroom.public_functions()
returns table (name text, for_apps boolean, for_readers boolean, for_moderators boolean)
language sql stable rows 40 as $$
    select f.name, 'api' = any (f.callers), 'reader' = any (f.callers), 'moderator' = any (f.callers)
    from darkroom.schema_files f where f.callers <> '{}'
$$;
comment on function darkroom.public_functions is
    'The functions that an app calls, by name: those whose files in sql/ say so. The role api may call those of for_apps, reader '
    'those of for_readers, moderator those of for_moderators; none of them may call anything else.';
