create or replace function darkroom.ensure_history_partitions(days_ahead integer default 3) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp
-- Attaching a partition locks the default partition, and waits for everything that reads history. Those who come later
-- wait behind it, so it must give up soon.
set lock_timeout = '100ms' as $$
declare
    made integer := 0;
    busy text[] := '{}';
    one  record;
    unsampled name;
    clock name;
begin
    -- Another worker is doing this, or prunes history.
    if not darkroom.try_lock('history') then
        return 0;
    end if;
    for one in select * from darkroom.missing_history_partitions(days_ahead) loop
        continue when one.parent = any (busy);
        begin
            -- What ended while its day had no partition is in the default one, and moves. Nothing may be on its way there meanwhile:
            -- it would have chosen that partition already, and be refused. To later days nothing is on its way.
            if one.day <= (now() at time zone 'UTC')::date then
                execute format('lock table darkroom.%I in share row exclusive mode', one.parent);
            end if;
            -- Attaching, unlike creating in place, lets others write to the parent meanwhile.
            execute format('create table darkroom.%I (like darkroom.%I including defaults including constraints)',
                           one.child, one.parent);
            for unsampled in
                select a.attname from pg_attribute a
                where a.attrelid = format('darkroom.%I', one.parent)::regclass and a.attstattarget = 0 and a.attnum > 0
            loop
                execute format('alter table darkroom.%I alter column %I set statistics 0', one.child, unsampled);
            end loop;
            select a.attname into clock from pg_partitioned_table p
            join pg_attribute a on a.attrelid = p.partrelid and a.attnum = p.partattrs[0]
            where p.partrelid = format('darkroom.%I', one.parent)::regclass;
            execute format('with strays as (delete from darkroom.%I where %I >= %L and %I < %L returning *) '
                           'insert into darkroom.%I select * from strays',
                           one.parent || '_default', clock, one.day || ' 00:00:00+00', clock, one.day + 1 || ' 00:00:00+00', one.child);
            execute format('alter table darkroom.%I attach partition darkroom.%I for values from (%L) to (%L)',
                           one.parent, one.child, one.day || ' 00:00:00+00', one.day + 1 || ' 00:00:00+00');
            made := made + 1;
        exception
            when lock_not_available then
                busy := busy || one.parent;
        end;
    end loop;
    return made;
end $$;
comment on function darkroom.ensure_history_partitions is
    'Creates the history partitions of today and the days ahead, moves into each what the default partition has of its day, and '
    'returns how many it created. Leaves out those that '
    'somebody reading history keeps it from attaching within 100 ms: call it again later.';
