create or replace function darkroom.add_uploads(
    uploads  darkroom.new_upload[],
    queue    text default 'default',
    priority integer default 0,
    run_at   timestamptz default null
) returns bigint[]
language plpgsql as $$
#variable_conflict use_variable
declare
    clash     record;
    added     bigint[];
    new_jobs  bigint[];
    new_rows  bigint[];
    new_keys  text[];
    new_texts boolean[];
    all_jobs  bigint[];
    quotas    integer;
begin
    perform darkroom.check_uploads(uploads);
    -- Reports a wrong priority before anything is written.
    perform darkroom.lane_of(queue, 'ingest', priority);
    if exists (select from unnest(uploads) u where u.is_draft) then
        perform darkroom.refuse_queue_of_draft(queue, priority, run_at);
    end if;
    if exists (select from unnest(uploads) u where u.original_sha256 is null) then
        perform darkroom.lane_of(queue, 'ingest_text', priority);
    end if;

    all_jobs := array(select nextval('darkroom.jobs_job_id_seq') from generate_series(1, cardinality(uploads)));
    -- Two callers with one idempotency key wait for each other here; the second adds nothing.
    with made as (
        insert into darkroom.uploads (
            uploader, idempotency_key, job_id, original_key, original_sha256, original_bytes,
            headline, caption, link, category, activity, latitude, longitude, place_text, taken_at, accuracy_m,
            location_privacy, place_near_latitude, place_near_longitude, place_country, anonymous, replaces, is_draft,
            venue_id, venue_name, credit, licence)
        select u.uploader, u.idempotency_key, j.job_id, u.original_key, decode(u.original_sha256, 'hex'),
               u.original_bytes, darkroom.clean_text(u.headline), darkroom.clean_text(u.caption), darkroom.clean_text(u.link),
               darkroom.clean_word(u.category), case when u.activity is not null then darkroom.activity_named(u.activity) end, u.latitude, u.longitude,
               darkroom.clean_text(u.place_text), u.taken_at, u.accuracy_m, u.location_privacy::darkroom.location_privacy,
               u.place_near_latitude, u.place_near_longitude, u.place_country, coalesce(u.anonymous, false), u.replaces,
               coalesce(u.is_draft, false), darkroom.clean_word(u.venue_id), darkroom.clean_word(u.venue_name),
               darkroom.clean_word(u.credit), darkroom.clean_word(u.licence)
        from unnest(uploads) with ordinality u
        join unnest(all_jobs) with ordinality j (job_id, ordinality) using (ordinality)
        order by u.uploader, u.idempotency_key, ordinality
        on conflict (uploader, idempotency_key) where idempotency_key is not null do nothing
        returning upload_id, job_id, uploader, original_key is null as is_text, is_draft)
    select array_agg(upload_id), array_agg(upload_id order by job_id) filter (where not is_draft),
           array_agg(job_id order by job_id) filter (where not is_draft),
           array_agg(made.uploader order by job_id) filter (where not is_draft),
           array_agg(is_text order by job_id) filter (where not is_draft)
    into added, new_rows, new_jobs, new_keys, new_texts from made;

    if coalesce(cardinality(added), 0) < cardinality(uploads) then
        select g.idempotency_key, k.job_id, k.is_draft and not coalesce(g.is_draft, false) as is_draft into clash
        from unnest(uploads) g
        join darkroom.uploads k on k.uploader = g.uploader and k.idempotency_key = g.idempotency_key
        where k.original_sha256 is distinct from decode(g.original_sha256, 'hex')
           or k.is_draft and not coalesce(g.is_draft, false)
           -- What a draft says may have been changed since.
           or k.original_sha256 is null and not k.is_draft
              and (k.headline, k.caption, k.link)
                  is distinct from (darkroom.clean_text(g.headline), darkroom.clean_text(g.caption), darkroom.clean_text(g.link))
        limit 1;
        if found then
            raise exception using errcode = 'unique_violation',
                constraint = 'uploads_idempotency',
                message = format('idempotency key %L was used for %s (job %s)', clash.idempotency_key,
                                 case when clash.is_draft then 'a draft' else 'another photo or text' end, clash.job_id),
                hint = case when clash.is_draft then 'publish_draft publishes it.'
                            else 'Use a new key for a new upload, or the same photo or text for a repeated call.' end;
        end if;
        select array_agg(coalesce(k.job_id, j.job_id) order by ordinality) into all_jobs
        from unnest(uploads) with ordinality g
        join unnest(all_jobs) with ordinality j (job_id, ordinality) using (ordinality)
        left join darkroom.uploads k on k.uploader = g.uploader and k.idempotency_key = g.idempotency_key;
    end if;
    if added is null then
        return all_jobs;
    end if;
    if exists (select from unnest(uploads) u where u.replaces is not null) then
        perform darkroom.require_replaced(added);
    end if;
    -- The first policy requires nothing and has no quota. One statement, since every upload pays for it.
    quotas := case when exists (select from darkroom.posting_policies p where p.version > 1)
                   then (select num_nonnulls(p.photos_a_day, p.bytes_a_day) from darkroom.posting_policies p
                         where p.category is null order by p.version desc limit 1) end;
    if quotas is not null then
        perform darkroom.refuse_by_policy(new_rows);
    end if;
    if quotas > 0 then
        perform darkroom.refuse_above_quota(added);
    end if;
    if new_jobs is null then
        return all_jobs;
    end if;
    if true <> all (new_texts) then
        perform darkroom.enqueue_jobs('ingest', new_rows, new_keys, queue, priority, run_at, new_jobs);
    elsif false <> all (new_texts) then
        perform darkroom.enqueue_jobs('ingest_text', new_rows, new_keys, queue, priority, run_at, new_jobs);
    else
        perform darkroom.enqueue_jobs(case when is_text then 'ingest_text' else 'ingest' end, array_agg(upload), array_agg(key),
                                      queue, priority, run_at, array_agg(job))
        from unnest(new_rows, new_keys, new_jobs, new_texts) as n (upload, key, job, is_text) group by is_text;
    end if;
    return all_jobs;
end $$;
comment on function darkroom.add_uploads is 'What enqueue_upload and enqueue_uploads do.';
