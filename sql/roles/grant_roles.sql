create or replace function darkroom.grant_roles() returns text[]
language plpgsql as $$
declare
    api       constant name := 'darkroom_api';
    reader    constant name := 'darkroom_reader';
    moderator constant name := 'darkroom_moderator';
    worker    constant name := 'darkroom_worker';
    operator  constant name := 'darkroom_operator';
    -- Tables that workers read but do not change.
    rules    text[] := array['schema_files', 'schema_definitions', 'schema_release', 'moderation_policies', 'location_policies',
                             'posting_policies', 'expiry_policies', 'job_kinds', 'kind_policies', 'fair_keys', 'pauses', 'settings',
                             'hash_lists', 'listed_hashes', 'console_invitations', 'console_sessions',
                             'operator_actions'];
    -- Tables that operators change, to run the queue and decide on posts.
    tended   text[] := array['jobs', 'finished_jobs', 'job_attempts', 'pauses', 'fair_keys', 'fair_key_paces',
                             'kind_policies', 'schedules', 'settings', 'workers', 'posts', 'reports', 'people', 'reviews',
                             'appeals', 'removals', 'removed_hashes', 'hash_lists', 'listed_hashes', 'post_exact_locations',
                             'event_consumers', 'activities', 'activity_names', 'post_erasures', 'person_erasures', 'retired_media',
                             'console_invitations', 'console_sessions'];
    -- Tables to which operators only add.
    recorded text[] := array['replays', 'moderation_decisions', 'moderation_evidence', 'place_corrections', 'outbox',
                             'operator_actions'];
    -- Tables that only the owner reads.
    secret   text[] := array['handle_keys'];
    -- Tables whose rows a trigger protects.
    governed text[] := array['moderation_policies', 'location_policies', 'posting_policies', 'expiry_policies', 'locks'];
    known    text[];
    one      record;
    grantee  name;
begin
    perform darkroom.take_lock('grant_roles');
    known := array(select r.rolname::text from pg_roles r where r.rolname = any (array[api, reader, moderator, worker, operator, 'darkroom_owner'])
                   order by 1);

    revoke all on all routines in schema darkroom from public;
    revoke all on all tables in schema darkroom from public;
    revoke all on all sequences in schema darkroom from public;
    revoke all on schema darkroom from public;
    foreach grantee in array array[api, reader, moderator, worker, operator] loop
        continue when grantee <> all (known);
        execute format('revoke all on all routines in schema darkroom from %I', grantee);
        execute format('revoke all on all tables in schema darkroom from %I', grantee);
        execute format('revoke all on all sequences in schema darkroom from %I', grantee);
        execute format('grant usage on schema darkroom to %I', grantee);
    end loop;
    for one in
        select p.oid::regprocedure as signature, f.for_apps, f.for_readers, f.for_moderators
        from pg_proc p join darkroom.public_functions() f on f.name = p.proname
        where p.pronamespace = 'darkroom'::regnamespace
    loop
        if one.for_apps and api = any (known) then
            execute format('grant execute on function %s to %I', one.signature, api);
        end if;
        if one.for_moderators and moderator = any (known) then
            execute format('grant execute on function %s to %I', one.signature, moderator);
        end if;
        if one.for_readers and reader = any (known) then
            execute format('grant execute on function %s to %I', one.signature, reader);
        end if;
    end loop;

    if worker = any (known) then
        execute format('grant execute on all routines in schema darkroom to %I', worker);
        execute format('grant usage, select, update on all sequences in schema darkroom to %I', worker);
        execute format('grant select, insert, update, delete on all tables in schema darkroom to %I', worker);
        execute format('alter default privileges for role %s in schema darkroom grant usage, select, update on sequences to %I',
                       (select nspowner::regrole::text from pg_namespace where nspname = 'darkroom'), worker);
    end if;
    if operator = any (known) then
        execute format('grant execute on all routines in schema darkroom to %I', operator);
        execute format('grant usage, select on all sequences in schema darkroom to %I', operator);
        execute format('grant select on all tables in schema darkroom to %I', operator);
        execute format('alter default privileges for role %s in schema darkroom grant usage, select on sequences to %I',
                       (select nspowner::regrole::text from pg_namespace where nspname = 'darkroom'), operator);
    end if;
    for one in
        select c.oid::regclass as relation, c.relname::text as name
        from pg_class c where c.relnamespace = 'darkroom'::regnamespace and c.relkind in ('r', 'p')
    loop
        if one.name = any (secret) then
            for grantee in select k from unnest(known) k where k in (worker, operator) loop
                execute format('revoke all on table %s from %I', one.relation, grantee);
            end loop;
            continue;
        end if;
        if one.name = any (rules) and worker = any (known) then
            -- Workers may delete from fair_keys, because the erasure of a person removes their limits.
            execute format('revoke insert, update%s on table %s from %I',
                           case when one.name = 'fair_keys' then '' else ', delete' end, one.relation, worker);
        end if;
        if operator = any (known) then
            if one.name = any (tended) then
                execute format('grant insert, update, delete on table %s to %I', one.relation, operator);
            elsif one.name = any (governed) then
                -- Setting a policy takes a table lock for which insert is not enough, and locking a row needs update.
                execute format('grant insert, update on table %s to %I', one.relation, operator);
            elsif one.name = any (recorded) then
                execute format('grant insert on table %s to %I', one.relation, operator);
            end if;
        end if;
    end loop;
    return known;
end $$;
comment on function darkroom.grant_roles is
    'Gives this installation''s roles their rights, and revokes everything from PUBLIC. Called after every migration; '
    'changes nothing if everything is as it should be. Returns the roles that exist.';
