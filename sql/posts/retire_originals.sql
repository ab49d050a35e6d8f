-- Finds rerender jobs by their fair key: dedupe_key is null once a job is claimed, and a job that runs or is retried
-- still needs its original.
create or replace function darkroom.retire_originals(
    after_time timestamptz, after_upload bigint, at_most integer default 1000,
    out seen integer, out retired integer, out last_time timestamptz, out last_upload bigint)
language plpgsql set enable_seqscan = off set enable_sort = off set enable_hashjoin = off
set enable_mergejoin = off set jit = off as $$
begin
    with page as materialized (
        select u.upload_id, u.job_id, u.original_key, u.created_at, u.is_draft
        from darkroom.uploads u
        where u.original_erased_at is null and u.original_key is not null and (u.created_at, u.upload_id) > (after_time, after_upload)
          and u.created_at < now() - make_interval(days => (select original_days from darkroom.settings))
        order by u.created_at, u.upload_id limit at_most),
    rerendered as materialized (
        select o.upload_id from darkroom.jobs j join darkroom.posts o on o.post_id = j.subject_id
        where j.lane = any (array(select l.lane from darkroom.lanes l where l.kind = 'rerender'))
          and j.fair_hash = hashtextextended('rerender', 0)),
    free as (
        update darkroom.uploads u set original_erased_at = now()
        from page p
        where u.upload_id = p.upload_id and not p.is_draft
          and not exists (select from darkroom.jobs j where j.job_id = p.job_id)
          -- A failed job can be replayed as long as it is in history.
          and not exists (select from darkroom.finished_jobs f where f.job_id = p.job_id and f.state = 'failed')
          and p.upload_id <> all (array(select r.upload_id from rerendered r))
        returning u.original_key, u.uploader),
    -- In the order of the keys, as everyone who retires several files.
    kept as (
        select darkroom.retire_media(array[f.original_key], of_person => f.uploader)
        from (select * from free order by original_key offset 0) f)
    select (select count(*) from page), (select count(*) from free), l.created_at, l.upload_id
    into seen, retired, last_time, last_upload
    from (select count(*) from kept) k
    left join (select p.created_at, p.upload_id from page p
               order by p.created_at desc, p.upload_id desc limit 1) l on true;
end $$;
comment on function darkroom.retire_originals is
    'Retires the originals older than settings.original_days, for up to at_most uploads after a position; seen is 0 at '
    'the end. Keeps the originals of drafts, of unfinished and failed jobs, and of unfinished re-renderings.';
