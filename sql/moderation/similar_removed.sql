-- Multi-index hashing (Norouzi, Punjani, Fleet: Fast Search in Hamming Space, CVPR 2012): if two hashes differ in
-- at most 3 bits, one of their four bands is the same; if in at most 7 bits, one band differs in at most one bit.
create or replace function darkroom.similar_removed(hash bigint, distance integer)
returns table (post_id bigint, differing integer)
language plpgsql stable set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
    sought bigint := $1;
    most   integer := $2;
    flips  bigint[] := '{0}';
begin
    if most is null or most not between 0 and 7 then
        raise exception using errcode = 'invalid_parameter_value',
            message = format('distance %s is outside 0 to 7', coalesce(most::text, 'null'));
    end if;
    if most > 3 then
        flips := flips || array(select 1::bigint << bit from generate_series(0, 15) bit);
    end if;
    return query
        select h.post_id, bit_count((h.hash # sought)::bit(64))::integer
        from darkroom.removed_hashes h
        where ((h.hash & 65535) = any (array(select (sought & 65535) # f from unnest(flips) f))
               or (h.hash >> 16 & 65535) = any (array(select (sought >> 16 & 65535) # f from unnest(flips) f))
               or (h.hash >> 32 & 65535) = any (array(select (sought >> 32 & 65535) # f from unnest(flips) f))
               or (h.hash >> 48 & 65535) = any (array(select (sought >> 48 & 65535) # f from unnest(flips) f)))
          and bit_count((h.hash # sought)::bit(64)) <= most
        order by 2, 1;
end $$;
comment on function darkroom.similar_removed is
    'Removed posts whose photos'' perceptual hashes differ from the given one in at most distance bits, 0 to 7, the '
    'most similar first. Errors: 22023 for a distance out of range.';
