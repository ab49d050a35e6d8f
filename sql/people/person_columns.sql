create or replace function darkroom.person_columns() returns table (of_table regclass, of_column name)
language sql stable as $$
    select c.oid::regclass, a.attname
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = (select relnamespace from pg_class where oid = 'darkroom.posts'::regclass)
      and c.relkind in ('r', 'p') and not c.relispartition and a.attnum > 0 and not a.attisdropped
      and a.atttypid = 'text'::regtype
      and a.attname in ('person', 'uploader', 'voter', 'author', 'reporter', 'decider', 'corrected_by', 'fair_key',
                        'paused_by', 'replayed_by', 'requested_by', 'added_by', 'viewer', 'member', 'owner', 'user_id', 'account')
      and c.oid <> 'darkroom.person_erasures'::regclass
    order by 1, 2
$$;
comment on function darkroom.person_columns is
    'The columns that name a person. Give a column one of these names and the erasure of persons finds it.';
