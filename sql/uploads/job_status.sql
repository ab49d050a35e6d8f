-- May be called by: api
-- Example:
--   select state, reason, message, post_id from darkroom.job_status(1, uploader => 'user-17')
create or replace function darkroom.job_status(job_id bigint, uploader darkroom.person default null) returns setof darkroom.upload_status
language plpgsql stable rows 1 security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off
set jit = off as $$
#variable_conflict use_column
declare
    target bigint := $1;
    person text := $2;
begin
    return query
    select j.job_id, darkroom.state_of(j.lease, j.waits_for)::text, null::text, null::text, j.attempt, j.created_at, j.run_at::timestamptz,
           null::timestamptz, null::bigint, null::text, null::text[], null::integer, null::text
    from darkroom.jobs j
    where j.job_id = target and (person is null or darkroom.is_upload_of(j.kind, j.subject_id, person));
    if found then
        return;
    end if;
    return query
    select u.job_id, 'draft', null::text, null::text, 0, u.created_at, null::timestamptz,
           null::timestamptz, null::bigint, null::text, null::text[], null::integer, null::text
    from darkroom.uploads u where u.job_id = target and u.is_draft and (person is null or u.uploader = person);
    if found then
        return;
    end if;
    return query
    select f.job_id, f.state::text, f.reason, f.message, f.attempt, f.created_at, null::timestamptz, f.finished_at,
           p.post_id, p.state::text, p.stripped, p.exif_fields, p.location_privacy::text
    from darkroom.finished_jobs f left join darkroom.posts p on p.upload_id = f.subject_id and darkroom.ingests(f.kind)
    where f.job_id = target and (person is null or darkroom.is_upload_of(f.kind, f.subject_id, person))
    order by f.finished_at desc limit 1;
end $$;
comment on function darkroom.job_status is
    'The state of a job; draft for an upload whose uploader has yet to publish it. A rejected or failed job also has a reason code and a message, and a published upload has its '
    'post''s number and state (held, for example, while it waits for a review), and what was stripped from its photo. If uploader is given, the jobs of others are treated as unknown. Returns no row for an unknown '
    'job, or for one that finished longer ago than settings.history_days.';
