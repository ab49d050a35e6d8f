create or replace function darkroom.claim_jobs(
    lease        bigint,
    in_queue     text,
    of_kinds     text[],
    at_most      integer,
    in_lanes     smallint[] default '{}',
    from_slot    bigint[] default '{}',
    with_suspect boolean default true
) returns table (
    job_id bigint, kind text, subject_id bigint, fair_key text, lane smallint, slot bigint, attempt integer,
    failures smallint, crashes smallint, deaths smallint, tried_s real, run_at timestamptz, created_at timestamptz, leased_at timestamptz)
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set jit = off
set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
    token    bigint := lease;
    one      record;
    suspect  tid;
    found_in tid[];
    chosen   tid[] := '{}';
    looked   integer := 0;
    wanted   integer;
    taken    integer;
    reached  bigint;
    before   bigint;
    start    bigint;
    limited  boolean;
    -- Now and then another kind of jobs comes first, whatever the priorities: a flood of one kind must not starve the others.
    by_turn  boolean := random() < 0.25;
    -- Each job that a limit sends away costs a write, and other claims wait meanwhile.
    sent_away_at_most constant integer := 1000;
begin
    -- The lock keeps other workers from treating this one as dead before the commit. A claim that reaches the server
    -- late, after the worker's review has passed it, takes nothing.
    perform from darkroom.workers w
    where w.worker_id = darkroom.worker_of(token) and w.first_lease <= token and not w.drain_requested for key share;
    if not found then
        return;
    end if;
    -- The commit need not wait for the disk: if a claim is lost, the job still waits and is claimed again, under
    -- another lease.
    perform set_config('synchronous_commit', 'off', true);
    -- One claim per queue at a time. Overlapping claims would scan each other's jobs and lock some that the
    -- other has just leased; the completion of those jobs would then have to wait. A lock of a row, since every
    -- login may hold an advisory lock.
    perform from darkroom.queues q where q.name = in_queue for no key update;
    limited := exists (select from darkroom.fair_keys where max_running is not null or per_minute is not null);
    with_suspect := with_suspect and exists (select from darkroom.jobs j where j.deaths > 0);
    <<lanes>>
    for one in
        select l.lane, l.position
        from darkroom.lanes l
        where l.queue = in_queue and l.kind = any (of_kinds)
          -- As is_paused, without a call for each lane.
          and not exists (select from darkroom.pauses p
                          where coalesce(p.queue, l.queue) = l.queue and coalesce(p.kind, l.kind) = l.kind
                            and not p.drains)
        order by case when by_turn then hashtextextended(l.kind, lease) end, l.priority, random()
    loop
        if with_suspect then
            -- Some of the first, since a limit may hold back the very first. It stays where it is.
            for suspect in
                select k.tid
                from (select distinct on (f.fair_hash) f.tid, f.slot
                      from (select j.ctid as tid, j.slot, j.fair_hash from darkroom.jobs j
                            where j.lane = one.lane and j.deaths > 0 and j.waits_for is null and j.lease is null
                            order by j.slot limit 64) f
                      order by f.fair_hash, f.slot) k
                order by k.slot
            loop
                found_in := array(select j.ctid from darkroom.jobs j
                                  where j.ctid = suspect and j.lease is null for update skip locked);
                if limited and found_in <> '{}' then
                    found_in := darkroom.apply_limits(found_in, chosen);
                end if;
                chosen := chosen || found_in;
                with_suspect := found_in = '{}';
                exit when not with_suspect;
            end loop;
            exit when cardinality(chosen) >= at_most;
        end if;
        start := coalesce(from_slot[array_position(in_lanes, one.lane)], 0);
        loop
            wanted := at_most - cardinality(chosen);
            exit when wanted <= 0;
            exit lanes when looked - cardinality(chosen) >= sent_away_at_most;
            select array_agg(c.tid), max(c.slot), count(*) into found_in, reached, taken
            from (select j.ctid as tid, j.slot from darkroom.jobs j
                  where j.lane = one.lane and j.waits_for is null and j.slot >= start and j.lease is null and j.deaths = 0
                    and (not limited or j.ctid <> all (chosen))
                  order by j.slot limit wanted
                  for update skip locked) c;
            exit when taken = 0;
            -- Virtual time advances with every job, so that an endless stream of new keys cannot hold up
            -- a key's second job: keys that arrive after 64 more jobs have started are behind it. But it stays within a
            -- turn of what claims have looked at: else a new key would be behind the backlogs of many others.
            before := coalesce(pg_sequence_last_value(one.position), 1);
            perform setval(one.position, greatest(reached, before, least(before + taken * 16384, reached + 1048576)));
            looked := looked + taken;
            if limited then
                found_in := darkroom.apply_limits(found_in, chosen);
            end if;
            chosen := chosen || found_in;
            -- Jobs that a limit held back leave room for others.
            exit when not limited or taken < wanted;
            start := reached;
        end loop;
        exit when cardinality(chosen) >= at_most;
    end loop;
    if cardinality(chosen) > 0 then
        return query
            with mine as (
                update darkroom.jobs j
                set lease = token, leased_at = clock_timestamp(), attempt = j.attempt + 1, dedupe_key = null, is_paced = false,
                    stage = null,
                    running_key = case when limited and exists (
                        select from darkroom.fair_keys k where k.fair_key in (j.fair_key, '*') and k.max_running is not null)
                        then j.fair_hash end
                where j.ctid = any (chosen)
                returning j.job_id, j.kind, j.subject_id, j.fair_key, j.lane, j.slot, j.attempt, j.failures, j.crashes, j.deaths,
                          j.tried_s, j.run_at::timestamptz, j.created_at, j.leased_at),
            noted as (
                insert into darkroom.leases (lease, job_ids) select token, array_agg(m.job_id order by m.job_id) from mine m)
            select * from mine;
    end if;
    if looked - cardinality(chosen) >= sent_away_at_most and cardinality(chosen) < at_most then
        return next;
    end if;
end $$;
comment on function darkroom.claim_jobs is
    'Leases up to at_most (at most 500) waiting jobs of a queue to the worker of lease, by priority and slot; one claim of four '
    'begins with any kind. lease is the '
    'worker''s number times 2^36 plus a number that the worker never used before. With in_lanes and from_slot, a claim '
    'starts in each lane at a slot that earlier claims reached, instead of passing over what they left behind. '
    'with_suspect says whether the worker may take a job whose last worker died; a claim takes one at most. A row without '
    'a job says that limits held back so many jobs that the claim ended early: more may wait.';
