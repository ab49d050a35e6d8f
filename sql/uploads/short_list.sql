create or replace function darkroom.short_list(names text[]) returns text
language sql immutable parallel safe as $$
    select array_to_string(names[:10], ', ')
        || case when cardinality(names) > 10 then format(' and %s more', cardinality(names) - 10) else '' end
$$;
comment on function darkroom.short_list is 'At most ten names for a message, and how many more there are.';
