create or replace function darkroom.apply_limits(candidates tid[], chosen tid[]) returns tid[]
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    common  darkroom.fair_keys;
    moment  timestamptz;
    allowed tid[];
begin
    select * into common from darkroom.fair_keys where fair_key = '*';
    if common.max_running is null and common.per_minute is null and not exists (
        select from darkroom.jobs j
        cross join lateral (select * from darkroom.fair_keys f where f.fair_key = j.fair_key limit 1) k
        where j.ctid = any (candidates) and (k.max_running is not null or k.per_minute is not null))
    then
        return candidates;
    end if;
    -- Claims take turns here, so that each counts what the others have started. One lock serves all keys,
    -- as a lock per key could fill the server's lock table.
    perform pg_advisory_xact_lock(hashtextextended('darkroom.apply_limits', 0));
    moment := clock_timestamp();
    with mine as materialized (
        select j.ctid as tid, j.fair_hash, j.slot, j.is_paced,
               case when k.fair_key is null then common.max_running else k.max_running end as max_running,
               make_interval(secs => 60 / case when k.fair_key is null then common.per_minute else k.per_minute end) as pace,
               case when k.fair_key is null then common.burst else k.burst end as burst,
               row_number() over (partition by j.fair_hash order by j.slot) as turn
        from darkroom.jobs j
        left join lateral (select * from darkroom.fair_keys f where f.fair_key = j.fair_key limit 1) k on true
        where j.ctid = any (candidates)),
    -- Jobs that this claim chose before do not count as running yet.
    before as materialized (
        select j.fair_hash, count(*) as jobs from darkroom.jobs j where j.ctid = any (chosen) group by j.fair_hash),
    keys as materialized (
        select m.fair_hash, m.max_running - coalesce(b.jobs, 0)
               - (select count(*) from darkroom.jobs r where r.running_key = m.fair_hash) as free
        from mine m left join before b using (fair_hash)
        where m.turn = 1 and m.max_running is not null),
    capped as materialized (
        select m.*, coalesce(m.turn > k.free, false) as is_over from mine m left join keys k using (fair_hash)),
    parked as (
        update darkroom.jobs set waits_for = 'turn'
        where ctid = any (array(select tid from capped where is_over))),
    -- The ideal start times at the key's rate; a burst may start earlier.
    paced as materialized (
        select c.tid, c.fair_hash, c.pace, c.burst,
               greatest(moment, (select p.next_at from darkroom.fair_key_paces p where p.fair_hash = c.fair_hash))
               + c.pace * (row_number() over (partition by c.fair_hash order by c.slot) - 1) as ideal
        from capped c
        where not c.is_over and c.pace is not null and not c.is_paced),
    kept as (
        insert into darkroom.fair_key_paces as p (fair_hash, next_at)
        select fair_hash, max(ideal + pace) from paced group by fair_hash
        on conflict (fair_hash) do update set next_at = excluded.next_at),
    early as materialized (
        select tid, ideal - pace * (burst - 1) as start from paced where ideal - pace * (burst - 1) > moment),
    postponed as (
        update darkroom.jobs j set waits_for = 'time', run_at = e.start, is_paced = true
        from early e where j.ctid = e.tid)
    select coalesce(array_agg(c.tid), '{}') into allowed
    from capped c left join early e using (tid)
    where not c.is_over and e.tid is null;
    return allowed;
end $$;
comment on function darkroom.apply_limits is
    'Of the rows of jobs that a claim is about to start, returns those that the limits of their fair keys allow. A job '
    'beyond its key''s max_running is parked until one ends; one beyond the rate is scheduled for when the rate allows '
    'it. chosen are the rows that the claim has chosen before.';
