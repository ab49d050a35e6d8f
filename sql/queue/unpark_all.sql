create or replace function darkroom.unpark_all() returns integer
language plpgsql set enable_seqscan = off set jit = off set lock_timeout = '1s' as $$
declare
    began       bigint := coalesce(pg_sequence_last_value('darkroom.unpark_position'), 0);
    reached     bigint := began;
    next_key    bigint;
    has_wrapped boolean := false;
    made        integer := 0;
    at_most constant integer := 500;
begin
    -- Two at once would release the same keys' jobs twice.
    if not darkroom.try_lock('unpark_all') then
        return 0;
    end if;
    for looked in 1..1000 loop
        select j.fair_hash into next_key from darkroom.jobs j
        where j.waits_for = 'turn' and j.fair_hash > reached order by j.fair_hash limit 1;
        if not found and not has_wrapped then
            has_wrapped := true;
            select j.fair_hash into next_key from darkroom.jobs j
            where j.waits_for = 'turn' order by j.fair_hash limit 1;
        end if;
        exit when next_key is null or has_wrapped and next_key > began;
        made := made + darkroom.unpark_key(next_key, at_most - made);
        reached := next_key;
        exit when made >= at_most;
    end loop;
    if reached <> began then
        perform setval('darkroom.unpark_position', reached);
    end if;
    return made;
end $$;
comment on function darkroom.unpark_all is
    'Releases jobs that wait for their turn, key by key: it goes on after the key where the last call stopped, and looks at '
    '1000 keys at most. Stops after 500 jobs. Returns how many. Called by the upkeep.';
