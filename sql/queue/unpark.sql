create or replace function darkroom.unpark(of_keys bigint[]) returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    one   record;
    rule  darkroom.fair_keys;
    free  bigint;
    start timestamptz;
    moment timestamptz := clock_timestamp();
    made  integer := 0;
    -- Others may wait for the transaction of the caller. The upkeep goes on where this stops.
    at_most constant integer := 500;
begin
    for one in
        select distinct k as fair_hash from unnest(of_keys) as k
        where exists (select from darkroom.jobs j where j.fair_hash = k and j.waits_for = 'turn')
        order by 1
    loop
        exit when made >= at_most;
        select k.* into rule
        from (select fair_key from darkroom.jobs where fair_hash = one.fair_hash and waits_for = 'turn' limit 1) j
        join darkroom.fair_keys k on k.fair_key in (j.fair_key, '*')
        order by k.fair_key = '*' limit 1;
        free := least(at_most - made,
                      rule.max_running - (select count(*) from darkroom.jobs where running_key = one.fair_hash));
        if rule.per_minute is not null then
            start := (darkroom.paced_start(one.fair_hash, rule.per_minute, rule.burst, 1, moment)).start_at;
            free := least(free, floor(extract(epoch from moment + interval '2 seconds' - start) * rule.per_minute / 60) + 1);
        end if;
        made := made + darkroom.line_up(array(
            select ctid from darkroom.jobs
            where fair_hash = one.fair_hash and waits_for = 'turn'
            order by slot limit greatest(free, 0) for update skip locked));
    end loop;
    return made;
end $$;
comment on function darkroom.unpark is
    'Releases jobs that wait for their turn: for each fair key, given by its hash, as many as its limits have room for, and '
    'at most 500 in all. Returns how many.';
