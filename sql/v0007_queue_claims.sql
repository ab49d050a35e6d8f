-- Claiming, completing and parking: statements whose plans each session keeps, also behind a pooler.

create function darkroom.state_of(lease bigint, waits_for darkroom.job_wait) returns darkroom.job_state
language sql immutable parallel safe as $$
    select case when lease is not null then 'running'
                when waits_for is null then 'waiting'
                when waits_for = 'time' then 'scheduled'
                else 'parked' end::darkroom.job_state
$$;

create function darkroom.virtual_time(of_lane smallint) returns bigint
language sql volatile as $$
    select coalesce(pg_sequence_last_value(position), 1) from darkroom.lanes where lane = of_lane
$$;
comment on function darkroom.virtual_time is 'The slot that claims of the lane have reached.';

create function darkroom.slot_stride(of_key text) returns bigint
language sql stable as $$
    select (1048576 / coalesce(
        (select weight from darkroom.fair_keys where fair_key = of_key),
        (select weight from darkroom.fair_keys where fair_key = '*'), 1))::bigint
$$;
comment on function darkroom.slot_stride is
    'How far apart the slots of a key''s jobs are: 2^20 at weight 1, less for heavier keys.';

-- Start-time fair queueing (Goyal, Vin, Cheng 1996): a key that has jobs waiting continues after its
-- last one; any other starts at the lane's virtual time, before the backlog of everybody else.
create function darkroom.next_slot(in_lane smallint, of_key text) returns bigint
language plpgsql volatile set enable_seqscan = off set enable_sort = off set jit = off as $$
declare
    reached bigint := darkroom.virtual_time(in_lane);
    last    bigint;
begin
    select slot into last from darkroom.jobs
    where lane = in_lane and fair_hash = hashtextextended(of_key, 0) and slot >= reached
    order by slot desc limit 1;
    return coalesce(last + darkroom.slot_stride(of_key), reached);
end $$;

create function darkroom.wake_workers() returns void
language plpgsql as $$
begin
    if exists (select from darkroom.workers where is_idle) then
        perform pg_notify('darkroom.jobs', '');
    end if;
end $$;
comment on function darkroom.wake_workers is
    'Wakes idle workers when the transaction commits; does nothing where all are busy. Workers also poll, so a lost wake only delays.';

-- Where a new job of a lane waits: nowhere, for its time, or for the end of a drain.
create function darkroom.first_wait(in_lane smallint, at_time timestamptz) returns darkroom.job_wait
language sql volatile as $$
    select case
        when exists (select from darkroom.pauses p join darkroom.lanes l on l.lane = in_lane
                     where p.drains and coalesce(p.queue_id, l.queue_id) = l.queue_id
                       and coalesce(p.kind, l.kind) = l.kind) then 'resume'
        when at_time > now() then 'time' end::darkroom.job_wait
$$;

-- The functions below are planned once a session, perhaps while the queue was empty: a scan of all rows
-- would then seem as good as an index, and stay the plan when there are a million. Hence their settings;
-- compiling is off because a plan with a forbidden step looks expensive enough for it.

create function darkroom.enqueue_job(
    kind       darkroom.job_kind,
    subject_id bigint,
    fair_key   text,
    queue      text default 'default',
    priority   integer default 0,
    run_at     timestamptz default null
) returns bigint
language plpgsql
set enable_seqscan = off set enable_sort = off set jit = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_variable
declare
    hash       bigint := hashtextextended(fair_key, 0);
    in_lane    smallint;
    reached    bigint;
    weight     double precision;
    is_drained boolean;
    is_awaited boolean;
    new_job    bigint;
begin
    -- All that is to be known in one statement: each costs as much as the insert.
    select l.lane, pg_sequence_last_value(l.position),
           coalesce((select f.weight from darkroom.fair_keys f where f.fair_key = enqueue_job.fair_key),
                    (select f.weight from darkroom.fair_keys f where f.fair_key = '*')),
           exists (select from darkroom.pauses p
                   where p.drains and coalesce(p.queue_id, l.queue_id) = l.queue_id
                     and coalesce(p.kind, l.kind) = l.kind),
           exists (select from darkroom.workers where is_idle)
    into in_lane, reached, weight, is_drained, is_awaited
    from darkroom.queues q join darkroom.lanes l using (queue_id)
    where q.name = queue and l.kind = enqueue_job.kind and l.priority = enqueue_job.priority;
    if not found then
        in_lane := darkroom.lane_of(queue, kind, priority);
        is_awaited := true;
    end if;
    reached := coalesce(reached, 1);
    insert into darkroom.jobs (kind, lane, slot, subject_id, fair_key, fair_hash, run_at, waits_for)
    values (
        kind, in_lane,
        coalesce(
            (select j.slot from darkroom.jobs j
             where j.lane = in_lane and j.fair_hash = hash and j.slot >= reached
             order by j.slot desc limit 1) + (1048576 / coalesce(weight, 1))::bigint,
            reached),
        subject_id, fair_key, hash, coalesce(run_at, now()),
        case when is_drained then 'resume' when run_at > now() then 'time' end::darkroom.job_wait)
    returning jobs.job_id into new_job;
    if is_awaited then
        perform pg_notify('darkroom.jobs', '');
    end if;
    return new_job;
end $$;
comment on function darkroom.enqueue_job is 'Queues one job and answers its number.';

create function darkroom.enqueue_once(
    kind       darkroom.job_kind,
    subject_id bigint,
    fair_key   text,
    dedupe_key bigint,
    queue      text default 'default',
    priority   integer default 0
) returns bigint
language plpgsql set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    in_lane smallint := darkroom.lane_of(queue, kind, priority);
    new_job bigint;
begin
    insert into darkroom.jobs (kind, lane, slot, subject_id, fair_key, fair_hash, waits_for, dedupe_key)
    values (kind, in_lane, darkroom.next_slot(in_lane, fair_key), subject_id, fair_key,
            hashtextextended(fair_key, 0), darkroom.first_wait(in_lane, null), dedupe_key)
    on conflict do nothing
    returning jobs.job_id into new_job;
    if found then
        perform darkroom.wake_workers();
    end if;
    return new_job;
end $$;
comment on function darkroom.enqueue_once is
    'Queues one job unless one of its kind with the same dedupe_key has yet to be claimed for the first time; null then.';

create function darkroom.enqueue_jobs(
    kind        darkroom.job_kind,
    subject_ids bigint[],
    fair_keys   text[],
    queue       text default 'default',
    priority    integer default 0,
    run_at      timestamptz default null,
    job_ids     bigint[] default null
) returns integer
language plpgsql set enable_seqscan = off set enable_mergejoin = off set jit = off as $$
#variable_conflict use_variable
declare
    in_lane smallint := darkroom.lane_of(queue, kind, priority);
    reached bigint := darkroom.virtual_time(in_lane);
    wait    darkroom.job_wait := darkroom.first_wait(in_lane, run_at);
    made    integer;
begin
    if cardinality(fair_keys) = 1 then
        -- One key for all: no need to count by key.
        insert into darkroom.jobs (job_id, kind, lane, slot, subject_id, fair_key, fair_hash, run_at, waits_for)
        select coalesce(s.job_id, nextval('darkroom.jobs_job_id_seq')), kind, in_lane,
               k.first_slot + (s.number - 1) * k.stride, s.subject_id, fair_keys[1],
               k.hash, coalesce(run_at, now()), wait
        from (select darkroom.next_slot(in_lane, fair_keys[1]) as first_slot,
                     darkroom.slot_stride(fair_keys[1]) as stride,
                     hashtextextended(fair_keys[1], 0) as hash offset 0) k,
             unnest(subject_ids, job_ids) with ordinality as s (subject_id, job_id, number);
    else
        if cardinality(fair_keys) <> cardinality(subject_ids) then
            raise exception using errcode = 'invalid_parameter_value',
                message = format('%s fair keys for %s jobs', cardinality(fair_keys), cardinality(subject_ids)),
                hint = 'Give one key for all jobs, or one for each.';
        end if;
        insert into darkroom.jobs (job_id, kind, lane, slot, subject_id, fair_key, fair_hash, run_at, waits_for)
        select coalesce(s.job_id, nextval('darkroom.jobs_job_id_seq')), kind, in_lane,
               k.first_slot + (s.turn - 1) * k.stride, s.subject_id, s.fair_key, k.hash, coalesce(run_at, now()), wait
        from (select s.*, row_number() over (partition by s.fair_key order by s.number) as turn
              from unnest(subject_ids, fair_keys, job_ids)
                   with ordinality as s (subject_id, fair_key, job_id, number)) s
        join (select d.key, h.hash, darkroom.slot_stride(d.key) as stride,
                     coalesce((select j.slot + darkroom.slot_stride(d.key) from darkroom.jobs j
                               where j.lane = in_lane and j.fair_hash = h.hash and j.slot >= reached
                               order by j.slot desc limit 1), reached) as first_slot
              from (select distinct unnest(fair_keys) as key) d
              cross join lateral (select hashtextextended(d.key, 0) as hash) h offset 0) k on k.key = s.fair_key;
    end if;
    get diagnostics made = row_count;
    perform darkroom.wake_workers();
    return made;
end $$;
comment on function darkroom.enqueue_jobs is
    'Queues a job for every subject, in one statement: thousands at once. fair_keys has one key for all or one for each. Answers how many.';

-- Takes jobs of keys with limits out of a claim where they must wait. Answers those that may run.
-- A job over the number of its key is parked until one ends; one over the rate is set for its time.
create function darkroom.apply_limits(candidates tid[], chosen tid[]) returns tid[]
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
    -- One claim after the other, so that none counts what another is about to start. The lock is one for
    -- all keys: as many locks as keys would fill the server's table of them.
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
    -- Those that this claim chose before do not count as running yet.
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
    -- The rate's ideal times, from which a burst may start early.
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

create function darkroom.claim_jobs(
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
    'Gives a worker up to at_most waiting jobs of a queue, by priority and slot, under a new lease. A claim may start at a slot that earlier claims reached, for a lane each, instead of passing over what they left behind.';

-- Lets parked jobs of keys go on as far as the keys' limits allow.
create function darkroom.unpark(of_keys bigint[]) returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    one  record;
    free bigint;
    made integer := 0;
begin
    for one in
        select distinct k as fair_hash from unnest(of_keys) as k
        where exists (select from darkroom.jobs j where j.fair_hash = k and j.waits_for = 'turn')
        order by 1
    loop
        select coalesce(
                   (select k.max_running from darkroom.jobs j join darkroom.fair_keys k on k.fair_key in (j.fair_key, '*')
                    where j.fair_hash = one.fair_hash and j.waits_for = 'turn'
                    order by k.fair_key = '*' limit 1),
                   1000000)
               - (select count(*) from darkroom.jobs where running_key = one.fair_hash)
        into free;
        with gone_on as (
            update darkroom.jobs j set waits_for = null, slot = greatest(slot, darkroom.virtual_time(lane))
            where j.ctid = any (array(
                select ctid from darkroom.jobs
                where fair_hash = one.fair_hash and waits_for = 'turn'
                order by slot limit greatest(free, 0) for update skip locked))
            returning 1)
        select made + count(*) into made from gone_on;
    end loop;
    return made;
end $$;

create function darkroom.unpark_all() returns integer
language sql as $$
    with recursive keys as (
        (select fair_hash from darkroom.jobs where waits_for = 'turn' order by fair_hash limit 1)
        union all
        select (select j.fair_hash from darkroom.jobs j
                where j.waits_for = 'turn' and j.fair_hash > keys.fair_hash order by j.fair_hash limit 1)
        from keys where keys.fair_hash is not null)
    select coalesce(darkroom.unpark(array_agg(fair_hash)), 0) from keys where fair_hash is not null
$$;
comment on function darkroom.unpark_all is
    'Lets go on what was parked while its key''s last running job ended. Called by the upkeep.';

create function darkroom.complete_jobs(job_ids bigint[], leases bigint[]) returns integer[]
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
declare
    ended integer;
    keys  bigint[];
    stale integer[];
begin
    if leases[1] = all (leases) then
        with done as (
            delete from darkroom.jobs j where j.job_id = any (job_ids) and j.lease = leases[1] returning *),
        kept as (
            insert into darkroom.finished_jobs (
                job_id, kind, state, lane, subject_id, fair_key, attempt, failures, crashes,
                lease, worker_id, created_at, started_at, finished_at)
            select job_id, kind, 'succeeded', lane, subject_id, fair_key, attempt, failures, crashes,
                   lease, worker_id, created_at, leased_at, clock_timestamp()
            from done)
        select count(*), array_agg(running_key) filter (where running_key is not null) into ended, keys from done;
    else
        with done as (
            delete from darkroom.jobs j using unnest(job_ids, leases) as l (job_id, lease)
            where j.job_id = l.job_id and j.lease = l.lease returning j.*),
        kept as (
            insert into darkroom.finished_jobs (
                job_id, kind, state, lane, subject_id, fair_key, attempt, failures, crashes,
                lease, worker_id, created_at, started_at, finished_at)
            select job_id, kind, 'succeeded', lane, subject_id, fair_key, attempt, failures, crashes,
                   lease, worker_id, created_at, leased_at, clock_timestamp()
            from done)
        select count(*), array_agg(running_key) filter (where running_key is not null) into ended, keys from done;
    end if;
    if keys is not null then
        perform darkroom.unpark(keys);
    end if;
    if ended < cardinality(job_ids) then
        select array_agg(l.number) into stale
        from unnest(job_ids, leases) with ordinality as l (job_id, lease, number)
        where not exists (select from darkroom.finished_jobs f where f.job_id = l.job_id and f.lease = l.lease);
    end if;
    return coalesce(stale, '{}');
end $$;
comment on function darkroom.complete_jobs is
    'Ends attempts as succeeded and moves their jobs to history. Answers the places, from 1, of the leases that are no longer their job''s, for which nothing was done.';

create view darkroom.all_jobs as
    select j.job_id, j.kind, darkroom.state_of(j.lease, j.waits_for) as state, q.name as queue, l.priority,
           j.subject_id, j.fair_key, j.attempt, j.failures, j.crashes, null::text as reason, null::text as message,
           null::text as cause, j.worker_id, j.waits_for, j.stage, j.cancel_requested, j.created_at, j.run_at, j.leased_at as started_at,
           null::timestamptz as finished_at
    from darkroom.jobs j join darkroom.lanes l using (lane) join darkroom.queues q using (queue_id)
    union all
    select f.job_id, f.kind, f.state, q.name, l.priority, f.subject_id, f.fair_key, f.attempt, f.failures, f.crashes,
           f.reason, f.message, f.cause, f.worker_id, null, null, false, f.created_at, null, f.started_at, f.finished_at
    from darkroom.finished_jobs f join darkroom.lanes l using (lane) join darkroom.queues q using (queue_id);
comment on view darkroom.all_jobs is 'Unfinished and finished jobs side by side, for people and tools that look.';

create view darkroom.all_attempts as
    select job_id, attempt, lease, worker_id, outcome, reason, message, cause, verdict, stages, started_at, ended_at
    from darkroom.job_attempts
    union all
    select job_id, attempt, lease, worker_id, state::text::darkroom.attempt_outcome, reason, message, cause, verdict,
           stages, started_at, finished_at
    from darkroom.finished_jobs where lease is not null;
comment on view darkroom.all_attempts is 'How every attempt ended, those that finished their jobs included.';
