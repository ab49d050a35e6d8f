create or replace function darkroom.unpark_key(of_key bigint, at_most integer) returns integer
language plpgsql set enable_seqscan = off set enable_sort = off set jit = off as $$
declare
    one    record;
    rule   darkroom.fair_keys;
    free   bigint := at_most;
    ready  bigint := 0;
    moment timestamptz := clock_timestamp();
    start  timestamptz;
    made   integer := 0;
begin
    select j.lane, j.fair_key into one from darkroom.jobs j
    where j.fair_hash = of_key and j.waits_for = 'turn' order by j.lane limit 1;
    if not found then
        return 0;
    end if;
    select k.* into rule from darkroom.fair_keys k where k.fair_key in (one.fair_key, '*') order by k.fair_key = '*' limit 1;
    if rule.max_running is not null then
        free := least(free, rule.max_running - (select count(*) from darkroom.jobs where running_key = of_key));
    end if;
    if rule.per_minute is not null then
        start := (darkroom.paced_start(of_key, rule.per_minute, rule.burst, 1, moment)).start_at;
        free := least(free, floor(extract(epoch from moment + interval '2 seconds' - start) * rule.per_minute / 60) + 1);
    end if;
    -- Each lane for itself: the jobs of a lane that is paused, or that no worker serves, must not hold up those of others.
    while one.lane is not null and free > 0 and made < at_most loop
        if rule.max_running is not null or rule.per_minute is not null then
            -- Each of these takes a place: whichever comes first, a claim gives it to the oldest. Not so a suspect, as
            -- few workers may take it at a time, nor a job that comes later than those that are released.
            select count(*) into ready
            from (select from darkroom.jobs j
                  where j.lane = one.lane and j.fair_hash = of_key and j.lease is null and j.deaths = 0
                    and j.slot between 1 and darkroom.virtual_time(one.lane) + (2 * free + 1) * darkroom.slot_stride(one.fair_key)
                  order by j.slot desc limit free) j;
        end if;
        made := made + darkroom.schedule_jobs(array(
            select ctid from darkroom.jobs
            where fair_hash = of_key and lane = one.lane and waits_for = 'turn'
            order by created_at, job_id limit greatest(least(free - ready, at_most - made), 0) for update skip locked), free);
        select j.lane into one.lane from darkroom.jobs j
        where j.fair_hash = of_key and j.waits_for = 'turn' and j.lane > one.lane order by j.lane limit 1;
    end loop;
    return made;
end $$;
comment on function darkroom.unpark_key is
    'Releases jobs of a fair key, given by its hash, that wait for their turn: in each lane as many as the key''s limits have '
    'room for, less those nearby that already wait for a worker, and at most at_most in all. Returns how many.';
