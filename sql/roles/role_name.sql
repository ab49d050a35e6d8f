create or replace function darkroom.role_name(purpose text) returns text
language sql stable as $$
    select n.nspname || '_' || purpose
    from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid = 'darkroom.settings'::regclass
$$;
comment on function darkroom.role_name is
    'The name of a role of this installation: its schema''s name, an underscore, and api, reader, moderator, worker, operator or '
    'owner.';
