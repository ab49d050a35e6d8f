-- Queues, lanes, limits and schedules; and a table of unfinished jobs whose claim writes no index.

create table darkroom.queues (
    queue_id   smallint generated always as identity primary key,
    name       text not null unique
               constraint queue_name_is_1_to_50_of_a_to_z_0_to_9_and_dashes check (name ~ '^[a-z0-9][a-z0-9_-]{0,49}$'),
    created_at timestamptz not null default now()
);
comment on table darkroom.queues is 'Queues by name; made by the first job enqueued into each. Workers choose which they serve.';
insert into darkroom.queues (name) values ('default');

create table darkroom.lanes (
    lane     smallint generated always as identity primary key,
    queue_id smallint not null references darkroom.queues,
    kind     darkroom.job_kind not null,
    priority smallint not null check (priority between -100 and 100),
    position regclass not null,
    unique (queue_id, kind, priority)
);
comment on table darkroom.lanes is
    'One order of jobs: a queue''s jobs of one kind and priority. A claim walks the lanes by priority; lanes of one priority take turns.';
comment on column darkroom.lanes.position is
    'A sequence that holds the lane''s virtual time, the slot reached by claims. A sequence has one version whatever snapshots are held, and takes no row lock.';

create table darkroom.pauses (
    queue_id  smallint references darkroom.queues,
    kind      darkroom.job_kind,
    drains    boolean not null,
    paused_by text not null,
    paused_at timestamptz not null default clock_timestamp(),
    constraint a_pause_names_a_queue_or_a_kind check (num_nonnulls(queue_id, kind) >= 1),
    unique nulls not distinct (queue_id, kind)
);
comment on table darkroom.pauses is
    'What is not claimed at present: a queue, a kind, or a kind in a queue. Where it drains, jobs that were there before still run and later ones are parked.';

create table darkroom.kind_policies (
    kind             darkroom.job_kind primary key,
    max_failures     integer not null default 8 check (max_failures between 1 and 1000),
    max_crashes      integer not null default 3 check (max_crashes between 1 and 100),
    backoff_base     interval not null default '2 seconds' check (backoff_base > '0'),
    backoff_cap      interval not null default '15 minutes' check (backoff_cap > '0'),
    jitter           double precision not null default 0.5 check (jitter between 0 and 1),
    attempt_deadline interval default '5 minutes' check (attempt_deadline > '0'),
    total_deadline   interval default '7 days' check (total_deadline > '0')
);
comment on table darkroom.kind_policies is
    'How often, how soon and how long jobs of a kind are tried. Read by every worker every few seconds; kinds without a row have the defaults.';
comment on column darkroom.kind_policies.jitter is 'The share of a delay that is random.';
comment on column darkroom.kind_policies.attempt_deadline is 'An attempt that takes longer is stopped and counts as failed; null for no limit.';
comment on column darkroom.kind_policies.total_deadline is 'A job older than this is not tried again after a failure; null for no limit.';

create table darkroom.fair_keys (
    fair_key    text primary key check (char_length(fair_key) between 1 and 200),
    weight      double precision not null default 1 check (weight between 0.001 and 1000),
    max_running integer check (max_running > 0),
    per_minute  double precision check (per_minute > 0),
    burst       integer not null default 1 check (burst > 0)
);
comment on table darkroom.fair_keys is
    'Shares and limits of single keys (uploaders). The row of the key * holds for every key without a row of its own.';
comment on column darkroom.fair_keys.weight is 'Turns that the key gets for every turn of a key of weight 1.';
comment on column darkroom.fair_keys.max_running is 'Jobs of the key that run at once, over all workers; null for no limit.';
comment on column darkroom.fair_keys.per_minute is 'Jobs of the key that start in a minute, of which burst may start together; null for no limit.';

create table darkroom.fair_key_paces (
    fair_hash bigint primary key,
    next_at   timestamptz not null
) with (fillfactor = 50);
comment on table darkroom.fair_key_paces is
    'When a key with a rate limit may start its next job, as the generic cell rate algorithm (ITU-T I.371) counts it.';

create table darkroom.schedules (
    name        text primary key
                constraint schedule_name_is_1_to_50_of_a_to_z_0_to_9_and_dashes check (name ~ '^[a-z0-9][a-z0-9_-]{0,49}$'),
    cron        text not null,
    time_zone   text not null default 'UTC',
    kind        darkroom.job_kind not null,
    subject_id  bigint not null default 0,
    queue       text not null default 'default',
    priority    smallint not null default 50 check (priority between -100 and 100),
    is_enabled  boolean not null default true,
    next_run_at timestamptz,
    last_run_at timestamptz,
    last_job_id bigint
);
comment on table darkroom.schedules is
    'Periodic jobs. A run that was missed while no worker lived is made up for once. next_run_at is null until a worker has reckoned it.';
insert into darkroom.schedules (name, cron, kind) values ('prune-history', '17 * * * *', 'prune_history');

create table darkroom.settings (
    is_only_row  boolean primary key default true check (is_only_row),
    history_days integer not null default 30 check (history_days between 1 and 3650)
);
comment on table darkroom.settings is 'One row. history_days: whole days for which finished jobs and their attempts are kept.';
insert into darkroom.settings default values;

alter table darkroom.workers
    add column is_idle boolean not null default false,
    add column running integer not null default 0,
    add column drain_requested boolean not null default false;
comment on column darkroom.workers.running is 'Jobs that it ran at its last heartbeat.';
comment on column darkroom.workers.is_idle is
    'Whether the worker waits to be told of new jobs. While none does, nobody is notified.';

create index workers_idle on darkroom.workers (worker_id) where is_idle;

create table darkroom.worker_queues (
    worker_id   bigint not null references darkroom.workers on delete cascade,
    queue       text not null,
    concurrency integer not null check (concurrency > 0),
    primary key (worker_id, queue)
);

-- What a job that is neither running nor finished waits for, beside a free worker.
create type darkroom.job_wait as enum ('time', 'turn', 'resume');

create function darkroom.lane_of(in_queue text, of_kind darkroom.job_kind, at_priority integer) returns smallint
language plpgsql as $$
declare
    found_lane smallint;
    of_queue   smallint;
begin
    select l.lane into found_lane
    from darkroom.queues q join darkroom.lanes l using (queue_id)
    where q.name = in_queue and l.kind = of_kind and l.priority = at_priority;
    if found then
        return found_lane;
    end if;
    if at_priority is null or at_priority not between -100 and 100 then
        raise exception using errcode = 'invalid_parameter_value',
            message = format('priority %s is outside -100 to 100', coalesce(at_priority::text, 'null')),
            hint = 'Lower runs first; 0 is the default.';
    end if;
    -- Whoever comes second waits here and then finds the first's lane.
    perform pg_advisory_xact_lock(hashtextextended('darkroom.lane_of', 0));
    insert into darkroom.queues (name) values (in_queue) on conflict (name) do nothing;
    select queue_id into of_queue from darkroom.queues where name = in_queue;
    select lane into found_lane from darkroom.lanes
    where queue_id = of_queue and kind = of_kind and priority = at_priority;
    if not found then
        execute format('create sequence darkroom.%I as bigint',
                       format('lane_%s_%s_%s', of_queue, of_kind, replace(at_priority::text, '-', 'm')));
        insert into darkroom.lanes (queue_id, kind, priority, position)
        values (of_queue, of_kind, at_priority,
                format('darkroom.%I', format('lane_%s_%s_%s', of_queue, of_kind, replace(at_priority::text, '-', 'm')))::regclass)
        returning lane into found_lane;
    end if;
    return found_lane;
end $$;

-- Made now, so that no upload API's transaction makes them under a lock.
select darkroom.lane_of('default', 'ingest', 0), darkroom.lane_of('default', 'moderate', -10),
       darkroom.lane_of('default', 'prune_history', 50);

-- A claim changes only columns that no index knows (a HOT update), so it costs no index entry and
-- leaves none behind. That takes room on each page for a second version of every row, hence the fill
-- factor. lease tells running from waiting; what waits for something else than a worker is not in the
-- claim's index.
create table darkroom.unfinished_jobs (
    job_id           bigint generated by default as identity primary key,
    subject_id       bigint not null,
    slot             bigint not null,
    fair_hash        bigint not null,
    lease            bigint,
    worker_id        bigint,
    leased_at        timestamptz,
    run_at           timestamptz not null default now(),
    created_at       timestamptz not null default now(),
    running_key      bigint,
    dedupe_key       bigint,
    lane             smallint not null,
    failures         smallint not null default 0,
    crashes          smallint not null default 0,
    kind             darkroom.job_kind not null,
    waits_for        darkroom.job_wait,
    attempt          integer not null default 0,
    is_paced         boolean not null default false,
    cancel_requested boolean not null default false,
    fair_key         text not null,
    stage            text,
    check ((lease is null) = (worker_id is null)),
    check ((lease is null) = (leased_at is null)),
    check (lease is null or waits_for is null)
) with (fillfactor = 45, autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 5000,
        autovacuum_vacuum_cost_delay = 0);

insert into darkroom.unfinished_jobs (
    job_id, subject_id, slot, fair_hash, lease, worker_id, leased_at, run_at, created_at, dedupe_key, lane,
    failures, crashes, kind, waits_for, attempt, cancel_requested, fair_key)
select job_id, subject_id, slot + 1, hashtextextended(fair_key, 0), lease, worker_id, leased_at, run_at, created_at,
       case when kind = 'moderate' and state = 'waiting' and attempt = 0 then subject_id end,
       darkroom.lane_of('default', kind, priority), failures, crashes, kind,
       case when state = 'scheduled' then 'time' end::darkroom.job_wait, attempt, cancel_requested, fair_key
from darkroom.jobs;
select setval(pg_get_serial_sequence('darkroom.unfinished_jobs', 'job_id'),
              greatest((select last_value from darkroom.jobs_job_id_seq), 1),
              (select is_called from darkroom.jobs_job_id_seq));

drop view darkroom.all_jobs;
drop function darkroom.next_slot(text, smallint);
drop function darkroom.wake_workers();
drop function darkroom.job_status(bigint);
drop table darkroom.jobs;
alter table darkroom.unfinished_jobs rename to jobs;
alter sequence darkroom.unfinished_jobs_job_id_seq rename to jobs_job_id_seq;
alter index darkroom.unfinished_jobs_pkey rename to jobs_pkey;

create index jobs_claim on darkroom.jobs (lane, slot) where waits_for is null;
create index jobs_fair on darkroom.jobs (lane, fair_hash, slot);
create index jobs_due on darkroom.jobs (run_at) where waits_for = 'time';
create index jobs_parked on darkroom.jobs (fair_hash, slot) where waits_for = 'turn';
create index jobs_limited on darkroom.jobs (running_key) where running_key is not null;
create unique index jobs_one_waiting on darkroom.jobs (kind, dedupe_key) where dedupe_key is not null;

comment on table darkroom.jobs is
    'Unfinished jobs. subject_id is an upload (ingest) or a post (moderate). Within a lane the lowest slot runs first.';
comment on column darkroom.jobs.fair_hash is 'hashtextextended(fair_key, 0): eight bytes to index instead of a text. Keys that collide share their turns.';
comment on column darkroom.jobs.running_key is 'fair_hash while a job runs whose key has a limit, so that those running can be counted.';
comment on column darkroom.jobs.dedupe_key is 'At most one job of a kind waits for its first claim with the same value. Null once claimed.';
comment on column darkroom.jobs.waits_for is 'Null: a worker. time: run_at. turn: its key''s limit. resume: the end of a drain.';
comment on column darkroom.jobs.attempt is 'Tries begun, ever. Numbers the rows of job_attempts.';
comment on column darkroom.jobs.failures is 'Tries that count against the retry policy.';
comment on column darkroom.jobs.crashes is 'Tries in which the worker or its renderer died. Counted apart.';
comment on column darkroom.jobs.is_paced is 'Whether the job has had its turn under its key''s rate limit.';
comment on column darkroom.jobs.stage is 'What a running job was last seen to do.';

-- The attempt that finished a job is kept in the job's own row of history: one row a job in the
-- common case. job_attempts has the attempts before it.
create type darkroom.stage_time as (stage text, milliseconds real);
alter table darkroom.finished_jobs
    add column lane smallint,
    add column lease bigint,
    add column worker_id bigint,
    add column started_at timestamptz,
    add column cause text,
    add column verdict text,
    add column stages darkroom.stage_time[];
update darkroom.finished_jobs set lane = darkroom.lane_of('default', kind, priority);
alter table darkroom.finished_jobs drop column priority, alter column lane set not null;
comment on column darkroom.finished_jobs.lease is 'The lease of the attempt that finished the job; null where no attempt did, as when a waiting job is cancelled.';
comment on column darkroom.finished_jobs.cause is 'The error behind reason and message, for an engineer.';
comment on column darkroom.finished_jobs.verdict is 'What the renderer said of the photo.';
alter table darkroom.job_attempts
    add column cause text,
    add column verdict text,
    add column stages darkroom.stage_time[];
comment on table darkroom.job_attempts is
    'How the attempts that did not finish their job ended, by day. Written once, when each ends.';
drop index darkroom.finished_jobs_state;
drop index darkroom.finished_jobs_subject;
create index finished_jobs_unsuccessful on darkroom.finished_jobs (state, finished_at desc) where state <> 'succeeded';
create index finished_jobs_time on darkroom.finished_jobs using brin (finished_at);

alter table darkroom.replays add column why text;
alter table darkroom.replays add column finished_at timestamptz;
comment on column darkroom.replays.why is 'What the operator said.';
