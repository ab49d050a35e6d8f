-- Only one runs at a time, since each reads what the other writes.
create or replace function darkroom.tally_map(at_most integer default 2000) returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    taken integer;
    dirty bigint[];
begin
    perform pg_advisory_xact_lock(hashtextextended('darkroom.tally_map', 0));
    with gone as (
        delete from darkroom.map_changes where change_id in (
            select change_id from darkroom.map_changes order by change_id limit at_most for update skip locked)
        returning leaf)
    select count(*), array_agg(distinct leaf) into taken, dirty from gone;
    if taken > 0 then
        perform darkroom.recount_tiles(dirty);
        for above in reverse 19..2 loop
            select array_agg(distinct (((d >> 26) >> 1) << 26) | ((d & 67108863) >> 1)) into dirty from unnest(dirty) d;
            perform darkroom.recount_level(above, dirty);
        end loop;
    end if;
    return taken;
end $$;
comment on function darkroom.tally_map is
    'Computes the tiles of up to at_most changes again. Returns how many changes there were.';
