-- What upload APIs, operators and the upkeep of workers call.

drop function darkroom.enqueue_upload(
    text, text, text, bigint, text, text, text, text, text, double precision, double precision, text, timestamptz,
    integer, timestamptz, text);

create type darkroom.new_upload as (
    uploader        text,
    original_key    text,
    original_sha256 text,
    original_bytes  bigint,
    headline        text,
    caption         text,
    link            text,
    category        text,
    event           text,
    latitude        double precision,
    longitude       double precision,
    place           text,
    taken_at        timestamptz,
    idempotency_key text
);
comment on type darkroom.new_upload is
    'One photo for darkroom.enqueue_uploads. From JSON: jsonb_populate_recordset(null::darkroom.new_upload, ...).';

create function darkroom.enqueue_uploads(
    uploads  darkroom.new_upload[],
    queue    text default 'default',
    priority integer default 0,
    run_at   timestamptz default null
) returns bigint[]
language plpgsql as $$
#variable_conflict use_variable
declare
    bad       text;
    clash     record;
    new_jobs  bigint[];
    new_rows  bigint[];
    new_keys  text[];
    all_jobs  bigint[];
begin
    select coalesce(u.original_sha256, 'null') into bad
    from unnest(uploads) u
    where u.original_sha256 is null or u.original_sha256 !~ '^[0-9a-fA-F]{64}$' limit 1;
    if found then
        raise exception using errcode = 'invalid_parameter_value',
            message = format('original_sha256 is not 64 hexadecimal digits: %s', left(bad, 80)),
            hint = 'Give the SHA-256 of the original''s bytes in hexadecimal.';
    end if;
    -- Says what is wrong with the priority before anything is written.
    perform darkroom.lane_of(queue, 'ingest', priority);

    all_jobs := array(select nextval('darkroom.jobs_job_id_seq') from generate_series(1, cardinality(uploads)));
    -- Two callers with one idempotency key wait for each other here; the second adds nothing.
    with made as (
        insert into darkroom.uploads (
            uploader, idempotency_key, job_id, original_key, original_sha256, original_bytes,
            headline, caption, link, category, event, latitude, longitude, place_text, taken_at)
        select u.uploader, u.idempotency_key, j.job_id, u.original_key, decode(u.original_sha256, 'hex'),
               u.original_bytes, u.headline, u.caption, u.link, u.category, u.event, u.latitude, u.longitude,
               u.place, u.taken_at
        from unnest(uploads) with ordinality u
        join unnest(all_jobs) with ordinality j (job_id, ordinality) using (ordinality)
        order by ordinality
        on conflict (uploader, idempotency_key) where idempotency_key is not null do nothing
        returning upload_id, job_id, uploader)
    select array_agg(upload_id order by job_id), array_agg(job_id order by job_id),
           array_agg(made.uploader order by job_id)
    into new_rows, new_jobs, new_keys from made;

    if coalesce(cardinality(new_jobs), 0) < cardinality(uploads) then
        select g.idempotency_key, k.job_id into clash
        from unnest(uploads) g
        join darkroom.uploads k on k.uploader = g.uploader and k.idempotency_key = g.idempotency_key
        where k.original_sha256 <> decode(g.original_sha256, 'hex') limit 1;
        if found then
            raise exception using errcode = 'unique_violation',
                constraint = 'uploads_idempotency',
                message = format('idempotency key %L was used for another photo (job %s)',
                                 clash.idempotency_key, clash.job_id),
                hint = 'Use a new key for a new photo, or the same photo for a repeated call.';
        end if;
        select array_agg(coalesce(k.job_id, j.job_id) order by ordinality) into all_jobs
        from unnest(uploads) with ordinality g
        join unnest(all_jobs) with ordinality j (job_id, ordinality) using (ordinality)
        left join darkroom.uploads k on k.uploader = g.uploader and k.idempotency_key = g.idempotency_key;
    end if;
    if new_jobs is not null then
        perform darkroom.enqueue_jobs('ingest', new_rows, new_keys, queue, priority, run_at, new_jobs);
    end if;
    return all_jobs;
end $$;
comment on function darkroom.enqueue_uploads is
    'Queues photos for publishing, thousands in one statement, in the caller''s transaction. Answers their job ids in the order given. The originals must already be in the media store.';

create function darkroom.enqueue_upload(
    uploader        text,
    original_key    text,
    original_sha256 text,
    original_bytes  bigint,
    headline        text default null,
    caption         text default null,
    link            text default null,
    category        text default null,
    event           text default null,
    latitude        double precision default null,
    longitude       double precision default null,
    place           text default null,
    taken_at        timestamptz default null,
    priority        integer default 0,
    run_at          timestamptz default null,
    idempotency_key text default null,
    queue           text default 'default'
) returns bigint
language sql as $$
    select (darkroom.enqueue_uploads(
        array[row(uploader, original_key, original_sha256, original_bytes, headline, caption, link, category,
                  event, latitude, longitude, place, taken_at, idempotency_key)::darkroom.new_upload],
        queue, priority, run_at))[1]
$$;
comment on function darkroom.enqueue_upload is
    'Queues one photo for publishing, in the caller''s transaction, and answers its job id. The original must already be in the media store. The same uploader and idempotency_key give the same job id again.';

create function darkroom.job_status(job_id bigint)
returns table (
    job_id bigint, state darkroom.job_state, reason text, message text, attempts integer,
    enqueued_at timestamptz, run_at timestamptz, finished_at timestamptz, post_id bigint)
language sql stable as $$
    select j.job_id, darkroom.state_of(j.lease, j.waits_for), null, null, j.attempt, j.created_at, j.run_at,
           null::timestamptz, null::bigint
    from darkroom.jobs j where j.job_id = job_status.job_id
    union all
    (select f.job_id, f.state, f.reason, f.message, f.attempt, f.created_at, null, f.finished_at,
            case when f.kind = 'ingest'
                 then (select p.post_id from darkroom.posts p where p.upload_id = f.subject_id) end
     from darkroom.finished_jobs f where f.job_id = job_status.job_id
     order by f.finished_at desc limit 1)
    limit 1
$$;
comment on function darkroom.job_status is
    'What became of a job: its state; once rejected or failed also a reason code and a sentence; once published the post. No row for an unknown or expired job.';

create or replace function darkroom.cancel_job(job_id bigint) returns boolean
language plpgsql set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
    target bigint := $1;
begin
    with gone as (
        delete from darkroom.jobs j where j.job_id = target and j.lease is null returning j.*)
    insert into darkroom.finished_jobs (
        job_id, kind, state, lane, subject_id, fair_key, attempt, failures, crashes,
        reason, message, created_at, finished_at)
    select g.job_id, g.kind, 'cancelled', g.lane, g.subject_id, g.fair_key, g.attempt, g.failures,
           g.crashes, 'cancelled', 'The job was cancelled before it ran.', g.created_at, clock_timestamp()
    from gone g;
    if found then
        return true;
    end if;
    update darkroom.jobs j set cancel_requested = true where j.job_id = target and j.lease is not null;
    if found then
        perform pg_notify('darkroom.control', 'cancel ' || target);
        return true;
    end if;
    return false;
end $$;

create or replace function darkroom.report_post(
    post_id  bigint,
    reporter text,
    reason   darkroom.report_reason,
    details  text default null
) returns boolean
language plpgsql set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    target  bigint := report_post.post_id;
    made    boolean;
begin
    insert into darkroom.reports (post_id, reporter, reason, details)
    values (target, reporter, reason, details)
    on conflict do nothing;
    made := found;
    if made then
        loop
            exit when darkroom.enqueue_once('moderate', target, 'moderation', target, 'default', -10) is not null;
            -- The job that waits will see this report only if it is claimed after this transaction: a lock
            -- that reporters share, and that a claim passes over, keeps it waiting until then.
            perform from darkroom.jobs j
            where j.kind = 'moderate' and j.dedupe_key = target
            for key share;
            exit when found;
        end loop;
    end if;
    return made;
exception when foreign_key_violation then
    raise exception using errcode = 'no_data_found', message = format('there is no post %s', target);
end $$;

create function darkroom.lanes_of(in_queue text, of_kind darkroom.job_kind) returns smallint[]
language plpgsql stable as $$
begin
    if in_queue is not null and not exists (select from darkroom.queues where name = in_queue) then
        raise exception using errcode = 'no_data_found', message = format('there is no queue %L', in_queue),
            hint = format('The queues are: %s.', (select string_agg(name, ', ' order by name) from darkroom.queues));
    end if;
    return array(
        select l.lane from darkroom.lanes l join darkroom.queues q using (queue_id)
        where q.name = coalesce(in_queue, q.name) and l.kind = coalesce(of_kind, l.kind));
end $$;
comment on function darkroom.lanes_of is 'The lanes of a queue, of a kind, or of a kind in a queue.';

create function darkroom.pause_queue(in_queue text, of_kind darkroom.job_kind, by_whom text, drain boolean default false)
returns void
language plpgsql as $$
begin
    perform darkroom.lanes_of(in_queue, of_kind);
    insert into darkroom.pauses as p (queue_id, kind, drains, paused_by)
    values ((select queue_id from darkroom.queues where name = in_queue), of_kind, drain, by_whom)
    on conflict (queue_id, kind) do update
    set drains = excluded.drains, paused_by = excluded.paused_by, paused_at = excluded.paused_at
    where p.drains <> excluded.drains;
end $$;
comment on function darkroom.pause_queue is
    'Pauses a queue (kind null), a kind (queue null) or a kind in a queue: from the next claim on nothing of it starts. With drain, jobs that are there still run and later ones are parked.';

create function darkroom.resume_queue(in_queue text, of_kind darkroom.job_kind) returns boolean
language plpgsql as $$
declare
    these smallint[] := darkroom.lanes_of(in_queue, of_kind);
    ended boolean;
begin
    delete from darkroom.pauses
    where queue_id is not distinct from (select queue_id from darkroom.queues where name = in_queue)
      and kind is not distinct from of_kind;
    ended := found;
    update darkroom.jobs j
    set waits_for = case when j.run_at > clock_timestamp() then 'time' end::darkroom.job_wait,
        slot = greatest(j.slot, darkroom.virtual_time(j.lane))
    where j.lane = any (these) and j.waits_for = 'resume'
      and not exists (select from darkroom.pauses p join darkroom.lanes l on l.lane = j.lane
                      where p.drains and coalesce(p.queue_id, l.queue_id) = l.queue_id
                        and coalesce(p.kind, l.kind) = l.kind);
    perform darkroom.wake_workers();
    return ended;
end $$;
comment on function darkroom.resume_queue is
    'Ends a pause or drain and lets go on what was parked. False: nothing was paused under these names.';
create index jobs_awaiting_resume on darkroom.jobs (lane) where waits_for = 'resume';

create function darkroom.promote_due(at_most integer default 1000) returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    made integer;
begin
    update darkroom.jobs j set waits_for = null, slot = greatest(j.slot, darkroom.virtual_time(j.lane))
    where j.ctid = any (array(
        select ctid from darkroom.jobs where waits_for = 'time' and run_at <= clock_timestamp()
        order by run_at limit at_most for update skip locked));
    get diagnostics made = row_count;
    return made;
end $$;

-- Takes back the jobs of workers that died. A job whose crashes are used up is quarantined.
create function darkroom.rescue_jobs(lease_seconds double precision)
returns table (job_id bigint, worker_id bigint, is_quarantined boolean)
language plpgsql as $$
#variable_conflict use_column
declare
    dead bigint[];
begin
    -- The row lock decides between a late heartbeat or claim and this: whoever comes second sees the first.
    dead := array(
        select w.worker_id from darkroom.workers w
        where w.heartbeat_at < clock_timestamp() - make_interval(secs => lease_seconds)
        for update skip locked);
    if cardinality(dead) = 0 then
        return;
    end if;
    return query
        with orphans as (
            select j.ctid as tid, j.*,
                   coalesce((select p.max_crashes from darkroom.kind_policies p where p.kind = j.kind), 3)
                       <= j.crashes + 1 as poisonous
            from darkroom.jobs j where j.worker_id = any (dead) for update),
        lost as (
            insert into darkroom.job_attempts (
                job_id, attempt, lease, worker_id, outcome, reason, message, started_at, ended_at)
            select o.job_id, o.attempt, o.lease, o.worker_id, 'crashed', 'worker_died',
                   format('Worker %s died or was cut off%s.', o.worker_id, ' while ' || o.stage), o.leased_at, clock_timestamp()
            from orphans o where not o.poisonous),
        back as (
            update darkroom.jobs j
            set lease = null, worker_id = null, leased_at = null, running_key = null, stage = null,
                crashes = (j.crashes + 1)::smallint, slot = greatest(j.slot, darkroom.virtual_time(j.lane))
            from orphans o where j.ctid = o.tid and not o.poisonous),
        gone as (
            delete from darkroom.jobs j using orphans o where j.ctid = o.tid and o.poisonous),
        kept as (
            insert into darkroom.finished_jobs (
                job_id, kind, state, lane, subject_id, fair_key, attempt, failures, crashes, lease, worker_id,
                reason, message, created_at, started_at, finished_at)
            select o.job_id, o.kind, 'failed', o.lane, o.subject_id, o.fair_key, o.attempt, o.failures,
                   o.crashes + 1, o.lease, o.worker_id, 'poison',
                   format('The job took its worker or renderer down %s times and is quarantined. The last time: '
                          'Worker %s died or was cut off%s.', o.crashes + 1, o.worker_id, ' while ' || o.stage),
                   o.created_at, o.leased_at, clock_timestamp()
            from orphans o where o.poisonous)
        select o.job_id, o.worker_id, o.poisonous from orphans o order by o.job_id;
    delete from darkroom.workers w where w.worker_id = any (dead);
end $$;
comment on function darkroom.rescue_jobs is
    'Takes back the jobs of workers that were not heard of for lease_seconds, counts a crash for each, and removes the workers.';

drop function darkroom.ensure_history_partitions(integer);
create function darkroom.ensure_history_partitions(days_ahead integer default 3) returns integer
language plpgsql as $$
declare
    made   integer := 0;
    day    date;
    parent text;
    child  text;
begin
    -- Two workers may come here at once.
    perform pg_advisory_xact_lock(hashtextextended('darkroom.history', 0));
    for offset_days in 0 .. days_ahead loop
        day := (now() at time zone 'UTC')::date + offset_days;
        foreach parent in array array['finished_jobs', 'job_attempts'] loop
            child := parent || '_' || to_char(day, 'YYYYMMDD');
            if to_regclass('darkroom.' || child) is null then
                begin
                    -- Attaching, unlike creating in place, lets others write to the parent meanwhile.
                    execute format('create table darkroom.%I (like darkroom.%I including defaults including constraints)',
                                   child, parent);
                    execute format(
                        'alter table darkroom.%I attach partition darkroom.%I for values from (%L) to (%L)',
                        parent, child, day::text || ' 00:00:00+00', (day + 1)::text || ' 00:00:00+00');
                    made := made + 1;
                exception when check_violation then
                    -- The default partition already holds rows of that day; they stay there.
                    null;
                end;
            end if;
        end loop;
    end loop;
    return made;
end $$;
comment on function darkroom.ensure_history_partitions is
    'Makes the history partitions of today and the days ahead. Answers how many it made.';

create function darkroom.prune_history() returns text
language plpgsql as $$
declare
    oldest  date := (now() at time zone 'UTC')::date - (select history_days from darkroom.settings);
    one     record;
    removed integer;
begin
    perform pg_advisory_xact_lock(hashtextextended('darkroom.history', 0));
    -- Dropping needs the parent for itself for a moment. Who writes to it waits no longer than this.
    perform set_config('lock_timeout', '100ms', true);
    for one in
        select p.relname as parent, c.relname as child
        from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
        where i.inhparent in ('darkroom.finished_jobs'::regclass, 'darkroom.job_attempts'::regclass)
          and c.relname ~ '_[0-9]{8}$' and to_date(right(c.relname, 8), 'YYYYMMDD') < oldest
        order by right(c.relname, 8), c.relname limit 1
    loop
        execute format('alter table darkroom.%I detach partition darkroom.%I', one.parent, one.child);
        execute format('drop table darkroom.%I', one.child);
        return one.child;
    end loop;
    with old as (
        select ctid as tid from darkroom.finished_jobs_default where finished_at < oldest limit 10000)
    delete from darkroom.finished_jobs_default d using old where d.ctid = old.tid;
    get diagnostics removed = row_count;
    if removed > 0 then
        return format('%s rows of finished_jobs_default', removed);
    end if;
    with old as (
        select ctid as tid from darkroom.job_attempts_default where ended_at < oldest limit 10000)
    delete from darkroom.job_attempts_default d using old where d.ctid = old.tid;
    get diagnostics removed = row_count;
    if removed > 0 then
        return format('%s rows of job_attempts_default', removed);
    end if;
    return null;
end $$;
comment on function darkroom.prune_history is
    'Removes one day of history that is older than settings.history_days, and answers what; null when nothing is left to remove. Fails with lock_not_available rather than hold up those who finish jobs.';
