-- Only one runs at a time, since each reads what the other writes.
create or replace function darkroom.tally_map(at_most integer default 2000) returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    taken integer;
    -- The tiles of a level that changed.
    dirty bigint[];
begin
    perform darkroom.take_lock('tally_map');
    select l.taken, l.leaves into taken, dirty from darkroom.add_to_leaves(at_most) l;
    for above in reverse 19..2 loop
        exit when dirty is null;
        select array_agg(distinct (((d >> 26) >> 1) << 26) | ((d & 67108863) >> 1)) into dirty from unnest(dirty) d;
        dirty := darkroom.recount_level(above, dirty);
    end loop;
    perform darkroom.fill_stacks();
    return taken;
end $$;
comment on function darkroom.tally_map is
    'Adds up to at_most changes to the map''s tiles, level by level as long as any differs, and fills stacks. Returns how many changes there were.';
