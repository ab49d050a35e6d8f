-- Who may do what. Roles belong to the whole server and are made by `darkroom roles create`; this schema works without
-- them too. What they may do is granted by grant_roles, which every migration repeats at its end.

create function darkroom.role_name(purpose text) returns text
language sql stable as $$
    select n.nspname || '_' || purpose
    from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid = 'darkroom.settings'::regclass
$$;
comment on function darkroom.role_name is
    'The name of a role of this installation: its schema''s, an underscore, and api, reader, worker, operator or owner.';

create function darkroom.public_functions() returns table (name text, for_readers boolean)
language sql immutable rows 40 as $$
    select f.name, f.for_readers
    from (values
        ('enqueue_upload', false), ('enqueue_uploads', false), ('job_status', false), ('cancel_job', false),
        ('report_post', false), ('appeal_post', false), ('delete_post', false),
        ('vote_on_post', false), ('vote_on_comment', false), ('add_comment', false), ('delete_comment', false),
        ('count_views', false), ('set_display_name', false), ('read_events', false), ('ack_events', false),
        ('latest_posts', true), ('nearest_posts', true), ('posts_within', true), ('near_and_good_posts', true),
        ('top_posts', true), ('post_details', true), ('post_comments', true), ('uploader_statistics', true),
        ('map_clusters', true), ('map_photos', true), ('cluster_posts', true), ('cluster_location', true)
    ) as f (name, for_readers)
$$;
comment on function darkroom.public_functions is
    'The functions that an app calls, by name. The role api may call all of them, reader those of for_readers, and nobody else''s but these.';

-- Making a lane makes a sequence, which only the owner of the schema may; finding one is all that most calls need.
create function darkroom.make_lane(in_queue text, of_kind darkroom.job_kind, at_priority integer) returns smallint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    found_lane smallint;
    of_queue   smallint;
    label      text;
begin
    -- Whoever comes second waits here and then finds the first's lane.
    perform pg_advisory_xact_lock(hashtextextended('darkroom.lane_of', 0));
    insert into darkroom.queues (name) values (in_queue) on conflict (name) do nothing;
    select queue_id into of_queue from darkroom.queues where name = in_queue;
    select lane into found_lane from darkroom.lanes
    where queue_id = of_queue and kind = of_kind and priority = at_priority;
    if not found then
        label := format('lane_%s_%s_%s', of_queue, of_kind, replace(at_priority::text, '-', 'm'));
        execute format('create sequence darkroom.%I as bigint', label);
        insert into darkroom.lanes (queue_id, kind, priority, position)
        values (of_queue, of_kind, at_priority, format('darkroom.%I', label)::regclass)
        returning lane into found_lane;
    end if;
    return found_lane;
end $$;
comment on function darkroom.make_lane is 'Makes the lane of a queue, kind and priority, and answers it.';

create or replace function darkroom.lane_of(in_queue text, of_kind darkroom.job_kind, at_priority integer)
returns smallint
language plpgsql as $$
declare
    found_lane smallint;
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
    return darkroom.make_lane(in_queue, of_kind, at_priority);
end $$;
comment on function darkroom.lane_of is 'The lane of a queue, kind and priority; made where there is none yet.';

-- History is kept in tables that are made and dropped day by day; the feeds follow whoever changes a post.
alter function darkroom.ensure_history_partitions(integer) security definer set search_path = pg_catalog, pg_temp;
alter function darkroom.prune_history() security definer set search_path = pg_catalog, pg_temp;
alter function darkroom.keep_feed() security definer set search_path = pg_catalog, pg_temp;
alter function darkroom.forget_reports() security definer set search_path = pg_catalog, pg_temp;

-- One body behind two doors, so that each call changes to the owner's rights once. A door in SQL would be planned with
-- every call.
alter function darkroom.enqueue_uploads(darkroom.new_upload[], text, integer, timestamptz) rename to add_uploads;
comment on function darkroom.add_uploads is 'What enqueue_upload and enqueue_uploads do.';
create function darkroom.enqueue_uploads(
    uploads  darkroom.new_upload[],
    queue    text default 'default',
    priority integer default 0,
    run_at   timestamptz default null
) returns bigint[]
language plpgsql as $$
begin
    return darkroom.add_uploads(uploads, queue, priority, run_at);
end $$;
comment on function darkroom.enqueue_uploads is
    'Queues photos for publishing, thousands in one statement, in the caller''s transaction, and answers their jobs'' numbers in the order given. The originals must already be in the media store. Each is as enqueue_upload''s arguments say; queue, priority (-100 to 100, lower runs first) and run_at hold for all. Errors: those of enqueue_upload; then nothing was queued.';

drop function darkroom.enqueue_upload(
    text, text, text, bigint, text, text, text, text, text, double precision, double precision, text, timestamptz,
    integer, timestamptz, text, text, double precision, darkroom.location_privacy);
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
    queue           text default 'default',
    accuracy_m      double precision default null,
    location_privacy darkroom.location_privacy default null
) returns bigint
language plpgsql as $$
begin
    return (darkroom.add_uploads(
        array[row(uploader, original_key, original_sha256, original_bytes, headline, caption, link, category,
                  event, latitude, longitude, place, taken_at, idempotency_key, accuracy_m, location_privacy)::darkroom.new_upload],
        queue, priority, run_at))[1];
end $$;
comment on function darkroom.enqueue_upload is
    'Queues one photo for publishing, in the caller''s transaction, and answers its job''s number. The original must already be in the media store under original_key, with the SHA-256 (64 hexadecimal digits) and the size in bytes that are given. latitude and longitude are degrees (WGS 84) and go together; accuracy_m is metres. priority is -100 to 100, lower runs first. The same uploader and idempotency_key give the same job again. Errors: 22023 for a priority or hash that is none, 23514 for a text or number out of its range (the constraint''s name says which), 23505 where the idempotency key was used for another photo.';

create function darkroom.is_upload_of(of_kind darkroom.job_kind, subject bigint, person text) returns boolean
language sql stable as $$
    select of_kind = 'ingest'
       and exists (select from darkroom.uploads u where u.upload_id = subject and u.uploader = person)
$$;
comment on function darkroom.is_upload_of is 'Whether a job of a kind and subject ingests a photo of a person.';

drop function darkroom.job_status(bigint);
create type darkroom.upload_status as (
    job_id bigint, state darkroom.job_state, reason text, message text, attempts integer,
    enqueued_at timestamptz, run_at timestamptz, finished_at timestamptz, post_id bigint);
create function darkroom.job_status(job_id bigint, uploader text default null) returns setof darkroom.upload_status
language plpgsql stable rows 1 set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
    target bigint := $1;
    person text := $2;
begin
    return query
    select j.job_id, darkroom.state_of(j.lease, j.waits_for), null::text, null::text, j.attempt, j.created_at, j.run_at,
           null::timestamptz, null::bigint
    from darkroom.jobs j
    where j.job_id = target and (person is null or darkroom.is_upload_of(j.kind, j.subject_id, person));
    if found then
        return;
    end if;
    return query
    select f.job_id, f.state, f.reason, f.message, f.attempt, f.created_at, null::timestamptz, f.finished_at,
           case when f.kind = 'ingest'
                then (select p.post_id from darkroom.posts p where p.upload_id = f.subject_id) end
    from darkroom.finished_jobs f
    where f.job_id = target and (person is null or darkroom.is_upload_of(f.kind, f.subject_id, person))
    order by f.finished_at desc limit 1;
end $$;
comment on function darkroom.job_status is
    'What became of a job: its state; once rejected or failed also a reason code and a sentence; once published the post. Give the uploader who asks, and others'' jobs are as unknown ones. No row for an unknown job, and none for one that finished longer ago than settings.history_days.';

alter function darkroom.cancel_job(bigint) rename to cancel_any_job;
comment on function darkroom.cancel_any_job is
    'Cancels a waiting job of any kind at once and asks the worker of a running one to stop. False: the job is finished or unknown.';
create function darkroom.cancel_job(job_id bigint, uploader text default null) returns boolean
language plpgsql set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
    target  bigint := $1;
    person  text := $2;
    of_kind darkroom.job_kind;
    subject bigint;
begin
    select j.kind, j.subject_id into of_kind, subject from darkroom.jobs j where j.job_id = target;
    -- An app has no business with moderations and the like; whoever may cancel any job may do so here too.
    if not found or (person is not null and not darkroom.is_upload_of(of_kind, subject, person))
       or (of_kind <> 'ingest'
           and not has_function_privilege(session_user, 'darkroom.cancel_any_job(bigint)', 'execute'))
    then
        return false;
    end if;
    return darkroom.cancel_any_job(target);
end $$;
comment on function darkroom.cancel_job is
    'Cancels a waiting job at once and asks the worker of a running one to stop. Give the uploader who asks, and others'' jobs are as unknown ones. An app cancels only what it enqueued: uploads. False: the job is finished, unknown or not the caller''s to cancel.';

create function darkroom.grant_roles() returns text[]
language plpgsql as $$
declare
    home     name := (select n.nspname from pg_class c join pg_namespace n on n.oid = c.relnamespace
                      where c.oid = 'darkroom.settings'::regclass);
    owner    name := darkroom.role_name('owner');
    api      name := darkroom.role_name('api');
    reader   name := darkroom.role_name('reader');
    worker   name := darkroom.role_name('worker');
    operator name := darkroom.role_name('operator');
    -- What workers read and do not change.
    rules    text[] := array['schema_migrations', 'moderation_policies', 'location_policies', 'posting_policies',
                             'expiry_policies', 'kind_policies', 'fair_keys', 'pauses', 'settings'];
    -- What people do beside reading: look after the queue, decide on posts, and set rules.
    tended   text[] := array['jobs', 'finished_jobs', 'job_attempts', 'pauses', 'fair_keys', 'fair_key_paces',
                             'kind_policies', 'schedules', 'settings', 'workers', 'posts', 'reports', 'people', 'reviews',
                             'appeals', 'removals', 'removed_hashes', 'post_exact_locations',
                             'event_consumers', 'events', 'post_erasures', 'person_erasures', 'retired_media'];
    -- What they add to and never change.
    recorded text[] := array['replays', 'moderation_decisions', 'moderation_evidence', 'place_corrections', 'outbox'];
    governed text[] := array['moderation_policies', 'location_policies', 'posting_policies', 'expiry_policies'];
    known    text[];
    one      record;
    grantee  name;
begin
    -- What others have in a schema that is not ours alone is not ours to take away.
    if home = 'public' then
        return '{}';
    end if;
    perform pg_advisory_xact_lock(hashtextextended('darkroom.grant_roles', 0));
    known := array(select r.rolname::text from pg_roles r where r.rolname = any (array[owner, api, reader, worker, operator])
                   order by 1);

    -- Functions that run with their owner's rights had better not have an administrator's.
    if owner = any (known) and pg_has_role(owner, 'member') then
        for one in
            select 1 as turn, format('schema %I', n.nspname) as object, n.nspowner as has
            from pg_namespace n where n.nspname = home
            union all
            select 2, format('%s %s', case c.relkind when 'v' then 'view' when 'S' then 'sequence' else 'table' end,
                             c.oid::regclass), c.relowner
            from pg_class c
            where c.relnamespace = home::regnamespace and c.relkind in ('r', 'p', 'v', 'S')
              -- The sequence of an identity column goes with its table.
              and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid
                                and d.refclassid = 'pg_class'::regclass and d.deptype in ('i', 'a') and c.relkind = 'S')
            union all
            select 3, format('type %s', t.oid::regtype), t.typowner
            from pg_type t left join pg_class c on c.oid = t.typrelid
            where t.typnamespace = home::regnamespace and t.typcategory <> 'A' and coalesce(c.relkind, 'c') = 'c'
            union all
            select 4, format('function %s', p.oid::regprocedure), p.proowner
            from pg_proc p where p.pronamespace = home::regnamespace
            order by 1
        loop
            if pg_get_userbyid(one.has) <> owner and pg_has_role(one.has, 'usage') then
                execute format('alter %s owner to %I', one.object, owner);
            end if;
        end loop;
    end if;

    -- Public functions run with the owner's rights, and find everything by its full name.
    for one in
        select p.oid::regprocedure as signature
        from pg_proc p join darkroom.public_functions() f on f.name = p.proname
        where p.pronamespace = home::regnamespace
          and (not p.prosecdef or not coalesce(p.proconfig, '{}') @> array['search_path=pg_catalog, pg_temp'])
    loop
        execute format('alter function %s security definer set search_path = pg_catalog, pg_temp', one.signature);
    end loop;

    execute format('revoke all on all functions in schema %I from public', home);
    execute format('revoke all on all tables in schema %I from public', home);
    execute format('revoke all on all sequences in schema %I from public', home);
    execute format('revoke all on schema %I from public', home);
    foreach grantee in array array[api, reader, worker, operator] loop
        continue when grantee <> all (known);
        execute format('revoke all on all functions in schema %I from %I', home, grantee);
        execute format('revoke all on all tables in schema %I from %I', home, grantee);
        execute format('revoke all on all sequences in schema %I from %I', home, grantee);
        execute format('grant usage on schema %I to %I', home, grantee);
    end loop;
    for one in
        select p.oid::regprocedure as signature, f.for_readers
        from pg_proc p join darkroom.public_functions() f on f.name = p.proname
        where p.pronamespace = home::regnamespace
    loop
        if api = any (known) then
            execute format('grant execute on function %s to %I', one.signature, api);
        end if;
        if one.for_readers and reader = any (known) then
            execute format('grant execute on function %s to %I', one.signature, reader);
        end if;
    end loop;

    if worker = any (known) then
        execute format('grant execute on all functions in schema %I to %I', home, worker);
        execute format('grant usage, select, update on all sequences in schema %I to %I', home, worker);
        execute format('grant select, insert, update, delete on all tables in schema %I to %I', home, worker);
        execute format('alter default privileges for role %s in schema %I grant usage, select, update on sequences to %I',
                       (select nspowner::regrole::text from pg_namespace where nspname = home), home, worker);
    end if;
    if operator = any (known) then
        execute format('grant execute on all functions in schema %I to %I', home, operator);
        execute format('grant usage, select on all sequences in schema %I to %I', home, operator);
        execute format('grant select on all tables in schema %I to %I', home, operator);
        execute format('alter default privileges for role %s in schema %I grant usage, select on sequences to %I',
                       (select nspowner::regrole::text from pg_namespace where nspname = home), home, operator);
    end if;
    for one in
        select c.oid::regclass as relation, c.relname::text as name
        from pg_class c where c.relnamespace = home::regnamespace and c.relkind in ('r', 'p')
    loop
        if one.name = any (rules) and worker = any (known) then
            -- Who is erased loses the limits that bear the name.
            execute format('revoke insert, update%s on table %s from %I',
                           case when one.name = 'fair_keys' then '' else ', delete' end, one.relation, worker);
        end if;
        if operator = any (known) then
            if one.name = any (tended) then
                execute format('grant insert, update, delete on table %s to %I', one.relation, operator);
            elsif one.name = any (governed) then
                -- Setting a policy locks the table against another, for which inserting is not enough; a trigger keeps
                -- what is there from being changed.
                execute format('grant insert, update on table %s to %I', one.relation, operator);
            elsif one.name = any (recorded) then
                execute format('grant insert on table %s to %I', one.relation, operator);
            end if;
        end if;
    end loop;
    return known;
end $$;
comment on function darkroom.grant_roles is
    'Gives this installation''s roles what they may do, and takes everything from PUBLIC. Repeated after every migration; changes nothing where all is as it should be. Where the role owner exists and the caller is a member, it is given the schema and everything in it. Answers the roles there are.';
select darkroom.grant_roles();
