create or replace function darkroom.public_functions() returns table (name text, for_readers boolean)
language sql stable rows 40 as $$
    select f.name, 'reader' = any (f.callers) from darkroom.schema_files f where f.callers <> '{}'
$$;
comment on function darkroom.public_functions is
    'The functions that an app calls, by name: those whose files in sql/ say so. The role api may call all of them and '
    'reader those of for_readers; neither may call anything else.';
