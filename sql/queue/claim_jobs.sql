create or replace function darkroom.claim_jobs(
    to_worker bigint,
    in_queue  text,
    of_kinds  darkroom.job_kind[],
    at_most   integer,
    in_lanes  smallint[] default '{}',
    from_slot bigint[] default '{}'
) returns table (
    job_id bigint, kind darkroom.job_kind, subject_id bigint, fair_key text, lane smallint, slot bigint, lease bigint,
    attempt integer, failures smallint, crashes smallint, run_at timestamptz, created_at timestamptz, leased_at timestamptz)
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set jit = off as $$
#variable_conflict use_column
declare
    one      record;
    found_in tid[];
    chosen   tid[] := '{}';
    wanted   integer;
    taken    integer;
    reached  bigint;
    start    bigint;
    token    bigint;
    limited  boolean;
begin
    -- The lock keeps this worker from being taken for dead between here and the commit.
    perform from darkroom.workers where worker_id = to_worker and not drain_requested for key share;
    if not found then
        return;
    end if;
    -- A lost claim is made again: the job still waits, and the token below never comes twice. So its commit
    -- need not wait for the disk.
    perform set_config('synchronous_commit', 'off', true);
    -- One claim of a queue at a time: those that overlap would walk over each other's jobs, and lock
    -- some that the other has just leased, which its completions would then wait for.
    perform pg_advisory_xact_lock(20260103, q.queue_id) from darkroom.queues q where q.name = in_queue;
    limited := exists (select from darkroom.fair_keys where max_running is not null or per_minute is not null);
    for one in
        select l.lane, l.position
        from darkroom.queues q join darkroom.lanes l using (queue_id)
        where q.name = in_queue and l.kind = any (of_kinds)
          and not exists (select from darkroom.pauses p
                          where coalesce(p.queue_id, l.queue_id) = l.queue_id and coalesce(p.kind, l.kind) = l.kind
                            and not p.drains)
        order by l.priority, random()
    loop
        start := coalesce(from_slot[array_position(in_lanes, one.lane)], 0);
        loop
            wanted := at_most - cardinality(chosen);
            exit when wanted <= 0;
            select array_agg(c.tid), max(c.slot), count(*) into found_in, reached, taken
            from (select j.ctid as tid, j.slot from darkroom.jobs j
                  where j.lane = one.lane and j.waits_for is null and j.slot >= start and j.lease is null
                  order by j.slot limit wanted
                  for update skip locked) c;
            exit when taken = 0;
            perform setval(one.position, greatest(
                reached,
                -- Virtual time goes on with every job, so that newcomers without end cannot hold up a key's
                -- second job: those that come after 64 more have started are behind it.
                coalesce(pg_sequence_last_value(one.position), 1) + taken * 16384));
            if limited then
                found_in := darkroom.apply_limits(found_in, chosen);
            end if;
            chosen := chosen || found_in;
            -- Those that a limit sent away leave room for the next.
            exit when not limited or taken < wanted;
            start := reached + 1;
        end loop;
        exit when cardinality(chosen) >= at_most;
    end loop;
    if cardinality(chosen) = 0 then
        return;
    end if;
    -- The time makes it new even if the server died and forgot the sequence's last values; 52 bits, which
    -- fit a double.
    token := (extract(epoch from clock_timestamp()) * 1000)::bigint * 2048 + nextval('darkroom.lease_tokens') % 2048;
    return query
        update darkroom.jobs j
        set lease = token, worker_id = to_worker, leased_at = clock_timestamp(), attempt = j.attempt + 1,
            dedupe_key = null, is_paced = false, stage = null,
            running_key = case when limited and exists (
                select from darkroom.fair_keys k where k.fair_key in (j.fair_key, '*') and k.max_running is not null)
                then j.fair_hash end
        where j.ctid = any (chosen)
        returning j.job_id, j.kind, j.subject_id, j.fair_key, j.lane, j.slot, j.lease, j.attempt, j.failures,
                  j.crashes, j.run_at, j.created_at, j.leased_at;
end $$;
comment on function darkroom.claim_jobs is
    'Gives a worker up to at_most waiting jobs of a queue, by priority and slot, under a new lease. A claim may start'
    ' at a slot that earlier claims reached, for a lane each, instead of passing over what they left behind.';
