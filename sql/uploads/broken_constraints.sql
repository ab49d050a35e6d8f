-- The checks themselves are evaluated, so nothing needs to repeat them.
create or replace function darkroom.broken_constraints(of_table regclass, candidate jsonb)
returns table (argument text, reason text)
language plpgsql stable as $$
declare
    checks text;
begin
    select string_agg(format('(%L, %L, (%s) is false)', a.attname, c.conname, pg_get_expr(c.conbin, c.conrelid)), ', '
                      order by c.conname)
    into checks
    from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
    where c.conrelid = of_table and c.contype = 'c';
    return query execute format(
        'select o.argument, o.reason from jsonb_populate_record(null::%s, $1) cross join lateral (values %s)
                                          as o (argument, reason, is_broken)
         where o.is_broken', of_table, checks) using candidate;
end $$;
comment on function darkroom.broken_constraints is
    'The checks of a table that a row would break, each with the first column that it concerns.';
