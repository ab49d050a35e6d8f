-- A stacked post that another transaction holds is left for the next call. A post below that another transaction holds may
-- be leaving, so it does not count: one too many below does no harm.
create or replace function darkroom.fill_stacks(at_most integer default 10000) returns integer
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set jit = off set plan_cache_mode = force_generic_plan as $$
declare
    size    constant integer := darkroom.stack_size();
    one     record;
    at      point;
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
        select distinct g.position[0] as x, g.position[1] as y, g.category, g.event from gone g
    loop
        at := point(one.x, one.y);
        is_held := false;
        missing := size - (select count(*) from (
            select from darkroom.feed f where f.position ~= at and not f.is_stacked limit size for key share skip locked) n);
        if missing > 0 then
            update darkroom.feed f set is_stacked = false
            where f.post_id = any (array(
                select s.post_id from darkroom.feed s
                where s.is_stacked and s.position[0] = one.x and s.position[1] = one.y
                order by s.position[0], s.position[1], s.post_id desc limit missing for no key update skip locked));
            get diagnostics made = row_count;
            total := total + made;
            is_held := made < missing and exists (
                select from darkroom.feed s where s.is_stacked and s.position[0] = one.x and s.position[1] = one.y);
        end if;
        missing := size - (select count(*) from (
            select from darkroom.feed f
            where darkroom.plane_of(f.category, f.position) ~= darkroom.plane_of(one.category, at)
              and f.category = one.category and f.position ~= at and not f.is_stacked_in_category limit size
            for key share skip locked) n);
        if one.category is not null and missing > 0 then
            update darkroom.feed f set is_stacked_in_category = false
            where f.post_id = any (array(
                select s.post_id from darkroom.feed s
                where s.is_stacked_in_category and s.category = one.category and s.position[0] = one.x and s.position[1] = one.y
                order by s.category, s.position[0], s.position[1], s.post_id desc limit missing for no key update skip locked));
            get diagnostics made = row_count;
            is_held := is_held or made < missing and exists (
                select from darkroom.feed s
                where s.is_stacked_in_category and s.category = one.category and s.position[0] = one.x
                  and s.position[1] = one.y);
        end if;
        missing := size - (select count(*) from (
            select from darkroom.feed f
            where darkroom.plane_of(f.event, f.position) ~= darkroom.plane_of(one.event, at)
              and f.event = one.event and f.position ~= at and not f.is_stacked_in_event limit size
            for key share skip locked) n);
        if one.event is not null and missing > 0 then
            update darkroom.feed f set is_stacked_in_event = false
            where f.post_id = any (array(
                select s.post_id from darkroom.feed s
                where s.is_stacked_in_event and s.event = one.event and s.position[0] = one.x and s.position[1] = one.y
                order by s.event, s.position[0], s.position[1], s.post_id desc limit missing for no key update skip locked));
            get diagnostics made = row_count;
            is_held := is_held or made < missing and exists (
                select from darkroom.feed s
                where s.is_stacked_in_event and s.event = one.event and s.position[0] = one.x and s.position[1] = one.y);
        end if;
        if is_held then
            insert into darkroom.stack_changes (position, category, event) values (at, one.category, one.event);
        end if;
    end loop;
    return total;
end $$;
comment on function darkroom.fill_stacks is
    'Lets stacked posts take places below in the indexes of positions, of a category''s and of an event''s, where posts have '
    'left. Takes up to at_most changes. Returns how many posts moved in the index of all positions.';
