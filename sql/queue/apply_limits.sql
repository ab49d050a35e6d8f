create or replace function darkroom.apply_limits(candidates tid[], chosen tid[]) returns tid[]
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    common  darkroom.fair_keys;
    moment  timestamptz;
    allowed tid[];
    first_planned timestamptz;
    has_suspects  boolean;
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
        select j.ctid as tid, j.job_id, j.lane, j.fair_hash, j.slot, j.is_paced, j.deaths,
               case when k.fair_key is null then common.max_running else k.max_running end as max_running,
               case when k.fair_key is null then common.per_minute else k.per_minute end as per_minute,
               case when k.fair_key is null then common.burst else k.burst end as burst
        from darkroom.jobs j
        left join lateral (select * from darkroom.fair_keys f where f.fair_key = j.fair_key limit 1) k on true
        where j.ctid = any (candidates)),
    -- Jobs that this claim chose before do not count as running yet.
    before as materialized (
        select j.fair_hash, count(*) as jobs from darkroom.jobs j where j.ctid = any (chosen) group by j.fair_hash),
    keys as materialized (
        select m.fair_hash, m.max_running - coalesce(b.jobs, 0)
               - (select count(*) from darkroom.jobs r where r.running_key = m.fair_hash) as free
        from (select distinct fair_hash, max_running from mine where max_running is not null) m
        left join before b using (fair_hash)),
    -- Another transaction may hold a key's pace for as long as it likes: then the key waits, and nobody else.
    rated as materialized (
        select distinct m.fair_hash from mine m where m.per_minute is not null and not m.is_paced),
    paces as materialized (
        select p.fair_hash from darkroom.fair_key_paces p
        where p.fair_hash = any (array(select fair_hash from rated)) for update skip locked),
    busy as materialized (
        select p.fair_hash from rated join darkroom.fair_key_paces p using (fair_hash)
        except all select fair_hash from paces),
    -- A job that has had its turn under the rate comes before others of its key.
    capped as materialized (
        select m.*, coalesce(row_number() over (partition by m.fair_hash order by not m.is_paced, m.slot) > k.free, false)
                    or not m.is_paced and m.fair_hash in (select fair_hash from busy) as is_over
        from mine m left join keys k using (fair_hash)),
    -- The oldest jobs that wait for the turn of their key go on in place of newer ones. Else a job that comes just before a
    -- turn ends would have the next, and they would never have one.
    newer as materialized (
        select c.tid, c.job_id, c.lane, c.fair_hash, c.slot,
               row_number() over (partition by c.lane, c.fair_hash order by c.slot) as turn
        from capped c where not c.is_over and not c.is_paced and c.deaths = 0),
    swaps as materialized (
        select n.tid, o.tid as older, o.is_paced, o.deaths > 0 as is_suspect, n.slot
        from (select lane, fair_hash, max(turn) as turns from newer group by 1, 2) k
        cross join lateral (
            select p.*, row_number() over (order by p.job_id) as turn
            from (select j.ctid as tid, j.job_id, j.is_paced, j.deaths from darkroom.jobs j
                  where j.waits_for = 'turn' and j.lane = k.lane and j.fair_hash = k.fair_hash and j.ctid <> all (chosen)
                  order by j.job_id limit k.turns for update skip locked) p) o
        join newer n on n.lane = k.lane and n.fair_hash = k.fair_hash and n.turn = o.turn and o.job_id < n.job_id),
    going as materialized (
        select coalesce(s.older, c.tid) as tid, c.fair_hash, c.per_minute, c.burst, c.slot, coalesce(s.is_paced, c.is_paced) as is_paced
        from capped c left join swaps s using (tid)
        where not c.is_over and s.is_suspect is not true),
    starts as materialized (
        select c.tid, c.fair_hash, s.start_at, s.next_at
        from (select g.*, row_number() over (partition by g.fair_hash order by g.slot) as turn
              from going g where g.per_minute is not null and not g.is_paced) c
        cross join lateral darkroom.paced_start(c.fair_hash, c.per_minute, c.burst, c.turn::integer, moment) s),
    -- Only starts that are soon are planned: a later one would keep today's rate when the limits change.
    planned as materialized (
        select * from starts where start_at <= moment + interval '2 seconds'),
    parked as (
        update darkroom.jobs set waits_for = 'turn', slot = 0
        where waits_for is null and ctid = any (array(
            select tid from capped where is_over
            union all select tid from swaps
            union all select tid from starts where start_at > moment + interval '2 seconds'))),
    -- A worker runs one of them at a time, so a claim must find it as such.
    suspects as (
        update darkroom.jobs j set waits_for = null, slot = s.slot from swaps s where s.is_suspect and j.ctid = s.older
        returning j.job_id),
    kept as (
        insert into darkroom.fair_key_paces as p (fair_hash, next_at)
        select fair_hash, max(next_at) from planned group by fair_hash
        on conflict (fair_hash) do update set next_at = excluded.next_at),
    postponed as (
        update darkroom.jobs j set waits_for = 'time', slot = 0, run_at = s.start_at, is_paced = true
        from planned s where j.ctid = s.tid and s.start_at > moment)
    select coalesce(array_agg(g.tid) filter (where coalesce(s.start_at <= moment, true)), '{}'),
           min(s.start_at) filter (where s.start_at > moment), exists (select from suspects)
    into allowed, first_planned, has_suspects
    from going g left join starts s using (tid);
    if first_planned is not null then
        perform darkroom.announce_due(first_planned);
    end if;
    if has_suspects then
        perform darkroom.wake_workers();
    end if;
    return allowed;
end $$;
comment on function darkroom.apply_limits is
    'Of the rows of jobs that a claim is about to start, returns those that the limits of their fair keys allow, or in their '
    'place older jobs of the same key and lane that waited for their turn. A job beyond its key''s max_running, or beyond what '
    'the rate allows within two seconds, is parked; one that the rate allows within two seconds is scheduled. chosen are the '
    'rows that the claim has chosen before.';
