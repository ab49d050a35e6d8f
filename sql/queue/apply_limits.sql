create or replace function darkroom.apply_limits(candidates tid[], chosen tid[]) returns tid[]
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    common  darkroom.fair_keys;
    moment  timestamptz;
    allowed tid[];
    first_planned timestamptz;
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
    perform darkroom.take_lock('apply_limits');
    moment := clock_timestamp();
    with mine as materialized (
        select j.ctid as tid, j.job_id, j.created_at, j.lane, j.fair_hash, j.slot, j.is_paced, j.deaths,
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
    -- The oldest jobs that wait for the turn of their key go on in place of the newest. Else a job that comes just before a
    -- turn ends would have the next, and they would never have one.
    newest as materialized (
        select c.tid, c.lane, c.fair_hash, c.slot, c.created_at, c.job_id,
               row_number() over (partition by c.lane, c.fair_hash order by c.created_at desc, c.job_id desc) as turn
        from capped c where not c.is_over and not c.is_paced and c.deaths = 0),
    swaps as materialized (
        select n.tid as newer, o.tid as older, o.is_paced
        from (select lane, fair_hash, max(turn) as turns from newest group by 1, 2) k
        cross join lateral (
            select p.*, row_number() over (order by p.created_at, p.job_id) as turn
            from (select j.ctid as tid, j.created_at, j.job_id, j.is_paced from darkroom.jobs j
                  where j.waits_for = 'turn' and j.lane = k.lane and j.fair_hash = k.fair_hash
                  order by j.created_at, j.job_id limit k.turns for update skip locked) p) o
        join newest n on n.lane = k.lane and n.fair_hash = k.fair_hash and n.turn = o.turn
                     and (o.created_at, o.job_id) < (n.created_at, n.job_id)),
    going as materialized (
        select coalesce(s.older, c.tid) as tid, s.older is not null as was_parked, c.deaths, c.fair_hash, c.per_minute, c.burst, c.slot,
               coalesce(s.is_paced, c.is_paced) as is_paced
        from capped c left join swaps s on s.newer = c.tid where not c.is_over),
    starts as materialized (
        select g.tid, g.fair_hash, g.was_parked, g.deaths, s.start_at, s.next_at
        from (select g.*, row_number() over (partition by g.fair_hash order by g.slot) as turn
              from going g where g.per_minute is not null and not g.is_paced) g
        cross join lateral darkroom.paced_start(g.fair_hash, g.per_minute, g.burst, g.turn::integer, moment) s),
    -- Only starts that are soon are planned: a later one would keep today's rate when the limits change.
    planned as materialized (
        select * from starts where start_at <= moment + interval '2 seconds'),
    -- Not a suspect: a claim looks at those first, so it needs no turn.
    parked as (
        update darkroom.jobs j set waits_for = 'turn', slot = 0
        where j.ctid = any (array(
            select tid from capped where is_over and deaths = 0
            union all select newer from swaps
            union all select tid from starts
                      where start_at > moment + interval '2 seconds' and not was_parked and deaths = 0))),
    kept as (
        insert into darkroom.fair_key_paces as p (fair_hash, next_at)
        select fair_hash, max(next_at) from planned group by fair_hash
        on conflict (fair_hash) do update set next_at = excluded.next_at),
    postponed as (
        update darkroom.jobs j set waits_for = 'time', slot = 0, run_at = s.start_at, is_paced = true
        from planned s where j.ctid = s.tid and s.start_at > moment),
    unparked as (
        update darkroom.jobs j set waits_for = null, slot = g.slot
        from going g left join starts s using (tid)
        where g.was_parked and j.ctid = g.tid and coalesce(s.start_at <= moment, true)
        returning j.ctid as tid)
    select array(select tid from unparked
                 union all select g.tid from going g left join starts s using (tid)
                           where not g.was_parked and coalesce(s.start_at <= moment, true)),
           (select min(start_at) from planned where start_at > moment)
    into allowed, first_planned;
    if first_planned is not null then
        perform darkroom.announce_due(first_planned);
    end if;
    return allowed;
end $$;
comment on function darkroom.apply_limits is
    'Of the rows of jobs that a claim is about to start, returns those that the limits of their fair keys allow, or in their '
    'place older jobs of the same key and lane that waited for their turn. A job beyond its key''s max_running, or beyond what '
    'the rate allows within two seconds, is parked unless it is a suspect; one that the rate allows within two seconds is scheduled. chosen are the '
    'rows that the claim has chosen before.';
