-- What an upload API calls, inside its own transactions.

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
    idempotency_key text default null
) returns bigint
language plpgsql as $$
#variable_conflict use_variable
declare
    known      record;
    new_job    bigint;
    new_upload bigint;
    hash       bytea;
begin
    if original_sha256 is null or original_sha256 !~ '^[0-9a-fA-F]{64}$' then
        raise exception using errcode = 'invalid_parameter_value',
            message = 'original_sha256 is not 64 hexadecimal digits',
            hint = 'Give the SHA-256 of the original''s bytes in hexadecimal.';
    end if;
    if priority is null or priority not between -100 and 100 then
        raise exception using errcode = 'invalid_parameter_value',
            message = format('priority %s is outside -100 to 100', coalesce(priority::text, 'null')),
            hint = 'Lower runs first; 0 is the default.';
    end if;
    hash := decode(original_sha256, 'hex');

    if idempotency_key is not null then
        -- Two callers with one key wait for each other here; the second finds the first's upload.
        perform pg_advisory_xact_lock(hashtextextended(uploader || E'\x1f' || idempotency_key, 20260101));
        select u.job_id, u.original_sha256 as sha256 into known
        from darkroom.uploads u
        where u.uploader = enqueue_upload.uploader
          and u.idempotency_key = enqueue_upload.idempotency_key;
        if found then
            if known.sha256 <> hash then
                raise exception using errcode = 'unique_violation',
                    constraint = 'uploads_idempotency',
                    message = format('idempotency key %L was used for another photo (job %s)',
                                     idempotency_key, known.job_id),
                    hint = 'Use a new key for a new photo, or the same photo for a repeated call.';
            end if;
            return known.job_id;
        end if;
    end if;

    new_job := nextval(pg_get_serial_sequence('darkroom.jobs', 'job_id'));
    insert into darkroom.uploads (
        uploader, idempotency_key, job_id, original_key, original_sha256, original_bytes,
        headline, caption, link, category, event, latitude, longitude, place_text, taken_at)
    values (
        uploader, idempotency_key, new_job, original_key, hash, original_bytes,
        headline, caption, link, category, event, latitude, longitude, place, taken_at)
    returning upload_id into new_upload;

    insert into darkroom.jobs (job_id, kind, state, priority, slot, subject_id, fair_key, run_at)
    values (
        new_job, 'ingest',
        case when run_at > now() then 'scheduled' else 'waiting' end::darkroom.job_state,
        priority, darkroom.next_slot(uploader, priority::smallint), new_upload, uploader,
        coalesce(run_at, now()));
    perform darkroom.wake_workers();
    return new_job;
end $$;
comment on function darkroom.enqueue_upload is
    'Queues one photo for publishing, in the caller''s transaction, and answers its job id. The original must already be in the media store. The same uploader and idempotency_key give the same job id again.';

create function darkroom.job_status(job_id bigint)
returns table (
    job_id bigint, state darkroom.job_state, reason text, message text, attempts integer,
    enqueued_at timestamptz, run_at timestamptz, finished_at timestamptz, post_id bigint)
language sql stable as $$
    select j.job_id, j.state, null, null, j.attempt, j.created_at, j.run_at, null::timestamptz, null::bigint
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

create function darkroom.cancel_job(job_id bigint) returns boolean
language plpgsql as $$
#variable_conflict use_column
declare
    target bigint := $1;
begin
    with gone as (
        delete from darkroom.jobs j where j.job_id = target and j.state <> 'running' returning j.*)
    insert into darkroom.finished_jobs (
        job_id, kind, state, priority, subject_id, fair_key, attempt, failures, crashes,
        reason, message, created_at, finished_at)
    select g.job_id, g.kind, 'cancelled', g.priority, g.subject_id, g.fair_key, g.attempt, g.failures,
           g.crashes, 'cancelled', 'The job was cancelled before it ran.', g.created_at, clock_timestamp()
    from gone g;
    if found then
        return true;
    end if;
    update darkroom.jobs j set cancel_requested = true where j.job_id = target and j.state = 'running';
    if found then
        perform pg_notify('darkroom_control', 'cancel ' || target);
        return true;
    end if;
    return false;
end $$;
comment on function darkroom.cancel_job is
    'Cancels a waiting job at once and asks the worker of a running one to stop. False: the job is finished or unknown.';

create function darkroom.report_post(
    post_id  bigint,
    reporter text,
    reason   darkroom.report_reason,
    details  text default null
) returns boolean
language plpgsql as $$
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
            insert into darkroom.jobs (kind, priority, slot, subject_id, fair_key)
            values ('moderate', -10, darkroom.next_slot('moderation', -10::smallint), target, 'moderation')
            on conflict do nothing;
            exit when found;
            -- The job that waits will see this report only if it is claimed after this transaction: a lock
            -- that reporters share, and that a claim passes over, keeps it waiting until then.
            perform from darkroom.jobs j
            where j.kind = 'moderate' and j.subject_id = target and j.state = 'waiting' and j.attempt = 0
            for key share;
            exit when found;
        end loop;
        perform darkroom.wake_workers();
    end if;
    return made;
exception when foreign_key_violation then
    raise exception using errcode = 'no_data_found', message = format('there is no post %s', target);
end $$;
comment on function darkroom.report_post is
    'Files one report a reporter and post and has the post moderated. False: this reporter had already reported it.';
