create or replace procedure darkroom.take_ownership()
language plpgsql as $$
declare
    moved boolean := false;
    one   record;
begin
    -- Since PostgreSQL 16, a member may be one that only administers the role.
    if not exists (select from pg_roles where rolname = 'darkroom_owner' and pg_has_role(oid, case
                       when current_setting('server_version_num')::integer < 160000 then 'member' else 'set' end)) then
        return;
    end if;
    for one in
        select 1 as turn, 'schema darkroom' as object, n.nspowner as has
        from pg_namespace n where n.nspname = 'darkroom'
        union all
        select 2, format('%s %s', case c.relkind when 'v' then 'view' when 'S' then 'sequence' else 'table' end,
                         c.oid::regclass), c.relowner
        from pg_class c
        where c.relnamespace = 'darkroom'::regnamespace and c.relkind in ('r', 'p', 'v', 'S')
          -- The sequence of an identity column follows its table.
          and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid
                            and d.refclassid = 'pg_class'::regclass and d.deptype in ('i', 'a') and c.relkind = 'S')
        union all
        select 3, format('type %s', t.oid::regtype), t.typowner
        from pg_type t left join pg_class c on c.oid = t.typrelid
        where t.typnamespace = 'darkroom'::regnamespace and (t.typcategory <> 'A' or t.typtype = 'd') and coalesce(c.relkind, 'c') = 'c'
        union all
        select 4, format('routine %s', p.oid::regprocedure), p.proowner
        from pg_proc p where p.pronamespace = 'darkroom'::regnamespace
        order by 1
    loop
        continue when pg_get_userbyid(one.has) = 'darkroom_owner' or not pg_has_role(one.has, 'usage');
        if not moved then
            perform darkroom.take_lock('grant_roles');
            -- Until all has moved, each owner needs what the other one has; the former is a member of the new one.
            grant all on schema darkroom to darkroom_owner;
            grant all on all tables in schema darkroom to darkroom_owner;
            grant all on all sequences in schema darkroom to darkroom_owner;
            grant all on all routines in schema darkroom to darkroom_owner;
            commit;
            moved := true;
        end if;
        for try in 1..20 loop
            begin
                -- While this waits for a table, everyone else waits behind it.
                perform set_config('lock_timeout', '2s', true);
                perform darkroom.take_lock('grant_roles');
                execute format('alter %s owner to darkroom_owner', one.object);
                exit;
            exception when lock_not_available or deadlock_detected then
                if try = 20 then
                    raise;
                end if;
            end;
            commit;
            perform pg_sleep(0.2 + 0.6 * random());
        end loop;
        -- One lock at a time: a transaction that holds several can deadlock with the workers again and again.
        commit;
    end loop;
    if moved then
        perform darkroom.grant_roles();
        commit;
    end if;
end $$;
comment on procedure darkroom.take_ownership is
    'Makes this installation''s role owner the owner of the schema and everything in it, if the role exists and the caller is '
    'a member. Some functions run with their owner''s rights, so the owner should not be an administrator. Locks one table '
    'at a time and commits after each, so it cannot run inside a transaction. A call continues where an earlier one ended.';
