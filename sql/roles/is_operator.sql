-- Only operators and the owner change settings.
create or replace function darkroom.is_operator() returns boolean
language sql stable parallel safe as $$
    select has_table_privilege(darkroom.caller(), 'darkroom.settings', 'update')
$$;
comment on function darkroom.is_operator is 'Whether the caller has the rights of an operator.';
