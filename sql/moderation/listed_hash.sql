-- Multi-index hashing (Norouzi, Punjani, Fleet: Fast Search in Hamming Space, CVPR 2012): if two hashes differ in at most 15
-- bits, one of their 16 words is the same; if in at most 31 bits, one word differs in at most one bit.
create or replace function darkroom.listed_hash(pdq bit, quality integer, of_list bigint default null)
returns table (list_id bigint, name text, action text, differing integer)
language plpgsql stable rows 1 set enable_seqscan = off set enable_indexscan = off
set enable_indexonlyscan = off set jit = off as $$
#variable_conflict use_column
declare
    sought bit(256) := $1;
    flips  integer[] := array[0] || array(select 1 << bit from generate_series(0, 15) bit);
begin
    if quality is null or quality < 50 then
        return;
    end if;
    return query
        with near as materialized (
            select h.list_id, bit_count(h.hash # sought)::integer as differing
            from darkroom.listed_hashes h
            where (substring(h.hash, 1, 16)::integer = any (array(select substring(sought, 1, 16)::integer # f from unnest(flips) f))
                   or substring(h.hash, 17, 16)::integer = any (array(select substring(sought, 17, 16)::integer # f from unnest(flips) f))
                   or substring(h.hash, 33, 16)::integer = any (array(select substring(sought, 33, 16)::integer # f from unnest(flips) f))
                   or substring(h.hash, 49, 16)::integer = any (array(select substring(sought, 49, 16)::integer # f from unnest(flips) f))
                   or substring(h.hash, 65, 16)::integer = any (array(select substring(sought, 65, 16)::integer # f from unnest(flips) f))
                   or substring(h.hash, 81, 16)::integer = any (array(select substring(sought, 81, 16)::integer # f from unnest(flips) f))
                   or substring(h.hash, 97, 16)::integer = any (array(select substring(sought, 97, 16)::integer # f from unnest(flips) f))
                   or substring(h.hash, 113, 16)::integer = any (array(select substring(sought, 113, 16)::integer # f from unnest(flips) f))
                   or substring(h.hash, 129, 16)::integer = any (array(select substring(sought, 129, 16)::integer # f from unnest(flips) f))
                   or substring(h.hash, 145, 16)::integer = any (array(select substring(sought, 145, 16)::integer # f from unnest(flips) f))
                   or substring(h.hash, 161, 16)::integer = any (array(select substring(sought, 161, 16)::integer # f from unnest(flips) f))
                   or substring(h.hash, 177, 16)::integer = any (array(select substring(sought, 177, 16)::integer # f from unnest(flips) f))
                   or substring(h.hash, 193, 16)::integer = any (array(select substring(sought, 193, 16)::integer # f from unnest(flips) f))
                   or substring(h.hash, 209, 16)::integer = any (array(select substring(sought, 209, 16)::integer # f from unnest(flips) f))
                   or substring(h.hash, 225, 16)::integer = any (array(select substring(sought, 225, 16)::integer # f from unnest(flips) f))
                   or substring(h.hash, 241, 16)::integer = any (array(select substring(sought, 241, 16)::integer # f from unnest(flips) f)))
              and bit_count(h.hash # sought) <= 31)
        select l.list_id, l.name, l.action, n.differing
        from near n join darkroom.hash_lists l using (list_id)
        where n.differing <= l.distance and (of_list is null or l.list_id = of_list)
        order by l.action desc, n.differing, l.list_id;
end $$;
comment on function darkroom.listed_hash is
    'The lists of known photos that a PDQ hash is on, with the bits of 256 in which it differs: those that refuse before those that '
    'hold, then the nearest first. No row if it is on none, or if its quality is below 50. of_list looks only at that list.';
