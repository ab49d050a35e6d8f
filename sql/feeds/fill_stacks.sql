-- A stacked post that another transaction holds is left for the next call. A post below that another transaction holds may
-- be leaving, so it does not count: one too many below does no harm.
create or replace function darkroom.fill_stacks(at_most integer default 10000) returns integer
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set jit = off as $$
declare
    size    constant integer := darkroom.stack_size();
    one     record;
    missing integer;
    made    integer;
    total   integer := 0;
    is_held boolean;
begin
    for one in
        with gone as (
            delete from darkroom.stack_changes c where c.change_id in (
                select o.change_id from darkroom.stack_changes o order by o.change_id limit at_most for update skip locked)
            returning c.*)
        select distinct g.position[0] as x, g.position[1] as y, s.* from gone g
        cross join lateral (values
            ('is_stacked', 'f.position ~= $1', '', null, null, null),
            ('is_stacked_in_category', 'darkroom.plane_of(f.category, f.position) ~= darkroom.plane_of($2, $1) and f.category = $2'
                                       || ' and f.position ~= $1', 'category', g.category, g.category, null),
            ('is_stacked_in_activity', 'darkroom.plane_of(f.activity, f.position) ~= darkroom.plane_of($2, $1) and f.activity = $2'
                                    || ' and f.position ~= $1', 'activity', g.activity, null, g.activity)
        ) as s (flag, is_below, scope, name, category, activity)
        where s.scope = '' or s.name is not null
    loop
        execute format('select $3 - count(*) from (
                            select from darkroom.feed f where %s and not f.%I limit $3 for key share skip locked) n',
                       one.is_below, one.flag)
        into missing using point(one.x, one.y), one.name, size;
        continue when missing <= 0;
        execute format('update darkroom.feed f set %1$I = false
                        where f.post_id = any (array(
                            select s.post_id from darkroom.feed s
                            where s.%1$I and s.position[0] = $1 and s.position[1] = $2 %2$s
                            order by %3$s s.position[0], s.position[1], s.post_id desc limit $4
                            for no key update skip locked))',
                       one.flag, case when one.scope <> '' then format('and s.%I = $3', one.scope) end,
                       case when one.scope <> '' then format('s.%I,', one.scope) end)
        using one.x, one.y, one.name, missing;
        get diagnostics made = row_count;
        total := total + made;
        continue when made = missing;
        execute format('select exists (select from darkroom.feed s
                                       where s.%I and s.position[0] = $1 and s.position[1] = $2 %s)',
                       one.flag, case when one.scope <> '' then format('and s.%I = $3', one.scope) end)
        into is_held using one.x, one.y, one.name;
        if is_held then
            insert into darkroom.stack_changes (position, category, activity)
            values (point(one.x, one.y), one.category, one.activity);
        end if;
    end loop;
    return total;
end $$;
comment on function darkroom.fill_stacks is
    'Lets stacked posts take places below in the indexes of positions, of a category''s and of an activity''s, where posts have '
    'left. Takes up to at_most changes. Returns how many places were taken.';
