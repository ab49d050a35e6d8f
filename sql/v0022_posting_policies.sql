-- What uploaders may say of their photos: texts that can be shown, and the rules of the house.

-- A text of blanks is none. NFC, so that what looks alike is found alike (Unicode Standard Annex 15).
create function darkroom.clean_text(content text) returns text
language sql immutable parallel safe
return case when content ~ '[^\s\u00A0\u200B-\u200F\u2060\uFEFF]'
            then normalize(replace(content, E'\r\n', E'\n'), nfc) end;
comment on function darkroom.clean_text is
    'A text in the normal form C with line feeds alone at the ends of lines; null where it is blank.';

-- Uploads that are there stay as they are.
alter table darkroom.uploads
    add constraint headline_has_no_control_characters check (darkroom.is_plain_text(headline)) not valid,
    add constraint caption_has_no_control_characters check (darkroom.is_plain_text(caption, true)) not valid,
    add constraint category_has_no_control_characters check (darkroom.is_plain_text(category)) not valid,
    add constraint event_has_no_control_characters check (darkroom.is_plain_text(event)) not valid,
    add constraint place_has_no_control_characters check (darkroom.is_plain_text(place_text)) not valid,
    add constraint link_names_a_host_without_credentials_or_control_characters
        check (link ~ '^https?://[^\s/?#@\\]+([/?#][^\s\u0001-\u001F\u007F-\u009F\u2028\u2029\u202D\u202E]*)?$') not valid;

create or replace function darkroom.add_uploads(
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
            headline, caption, link, category, event, latitude, longitude, place_text, taken_at, accuracy_m,
            location_privacy)
        select u.uploader, u.idempotency_key, j.job_id, u.original_key, decode(u.original_sha256, 'hex'),
               u.original_bytes, darkroom.clean_text(u.headline), darkroom.clean_text(u.caption), darkroom.clean_text(u.link),
               darkroom.clean_text(u.category), darkroom.clean_text(u.event), u.latitude, u.longitude,
               darkroom.clean_text(u.place), u.taken_at, u.accuracy_m, u.location_privacy
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

create table darkroom.posting_policies (
    version           integer generated always as identity primary key,
    headline_required boolean not null default false,
    caption_required  boolean not null default false,
    category_required boolean not null default false,
    categories        text[]
                      constraint categories_are_1_to_1000_names
                      check (cardinality(categories) between 1 and 1000 and array_position(categories, null) is null),
    link              text not null default 'optional'
                      constraint link_is_optional_required_or_refused check (link in ('optional', 'required', 'refused')),
    link_hosts        text[]
                      constraint link_hosts_are_1_to_1000_names_in_lower_case
                      check (cardinality(link_hosts) between 1 and 1000 and array_position(link_hosts, null) is null
                             and array_to_string(link_hosts, ' ') ~ '^[a-z0-9.-]+( [a-z0-9.-]+)*$'
                             and cardinality(string_to_array(array_to_string(link_hosts, ' '), ' ')) = cardinality(link_hosts)),
    note              text not null,
    created_at        timestamptz not null default now()
);
comment on table darkroom.posting_policies is
    'Append a row to change the policy: the highest version is in force, for uploads that are ingested from then on.';
comment on column darkroom.posting_policies.categories is 'The categories there are; null for any.';
comment on column darkroom.posting_policies.link_hosts is
    'The hosts that links may lead to, with all their subdomains; null for any.';
create trigger posting_policies_append_only before update or delete or truncate on darkroom.posting_policies
    for each statement execute function darkroom.refuse_change();
insert into darkroom.posting_policies (note) values ('Default: nothing is required and nothing refused.');

alter table darkroom.people
    add constraint display_name_has_no_control_characters check (darkroom.is_plain_text(display_name)) not valid,
    drop constraint display_name_is_taken;
create unique index display_name_is_taken on darkroom.people (lower(normalize(display_name, nfkc)))
    where display_name is not null;

create function darkroom.set_display_name(person text, name text) returns void
language plpgsql set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    wanted text := darkroom.clean_text(name);
begin
    -- Refused here rather than by the table, whose message would show the person's whole row.
    if not darkroom.is_plain_text(wanted) then
        raise exception using errcode = 'check_violation', constraint = 'display_name_has_no_control_characters',
            message = 'the name has control characters', hint = 'Give one line of text.';
    elsif char_length(wanted) > 100 then
        raise exception using errcode = 'check_violation', constraint = 'display_name_is_1_to_100_characters',
            message = format('the name has %s characters', char_length(wanted)), hint = 'Give at most 100.';
    end if;
    perform darkroom.meet(person);
    update darkroom.people p set display_name = wanted where p.person = set_display_name.person;
end $$;
comment on function darkroom.set_display_name is
    'Sets the name that feeds show for a person, of 1 to 100 characters without control characters; null or blank for none. Names that differ in case or compatibility forms alone are one. Errors: 23505 (display_name_is_taken) where another person has it, 23514 for a name that cannot be shown.';
