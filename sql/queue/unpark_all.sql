create or replace function darkroom.unpark_all() returns integer
language sql set lock_timeout = '1s' as $$
    with recursive keys as (
        (select fair_hash from darkroom.jobs where waits_for = 'turn' order by fair_hash limit 1)
        union all
        select (select j.fair_hash from darkroom.jobs j
                where j.waits_for = 'turn' and j.fair_hash > keys.fair_hash order by j.fair_hash limit 1)
        from keys where keys.fair_hash is not null)
    select coalesce(darkroom.unpark(array_agg(fair_hash)), 0) from keys where fair_hash is not null
$$;
comment on function darkroom.unpark_all is
    'Releases jobs that were parked while their key''s last running job ended. Called by the upkeep.';
