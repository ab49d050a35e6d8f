create or replace function darkroom.unpark(of_keys bigint[]) returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    of_key bigint;
    made   integer := 0;
    -- Others may wait for the transaction of the caller. The upkeep goes on where this stops.
    at_most constant integer := 500;
begin
    for of_key in select distinct k from unnest(of_keys) as k loop
        made := made + darkroom.unpark_key(of_key, at_most - made);
        exit when made >= at_most;
    end loop;
    return made;
end $$;
comment on function darkroom.unpark is
    'Releases jobs of fair keys, given by their hashes, that wait for their turn: as many as the limits of the keys have room '
    'for, and at most 500 in all. Returns how many.';
