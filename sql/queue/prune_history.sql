create or replace function darkroom.prune_history() returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp
-- Dropping a partition locks the parent for a moment. Its readers and writers wait no longer than this.
set lock_timeout = '100ms' as $$
declare
    oldest  date := (now() at time zone 'UTC')::date - (select history_days from darkroom.settings);
    events  date := (now() at time zone 'UTC')::date - (select event_days from darkroom.settings);
    one     record;
    removed integer;
begin
    perform darkroom.take_lock('history');
    -- First, so that no day goes while an upload of it is left.
    removed := darkroom.erase_ended_uploads(oldest::timestamp at time zone 'UTC');
    if removed > 0 then
        return format('%s unsuccessful jobs, and their uploads', removed);
    end if;
    for one in
        select p.relname as parent, c.relname as child
        from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
        where i.inhparent in ('darkroom.finished_jobs'::regclass, 'darkroom.job_attempts'::regclass,
                              'darkroom.event_log'::regclass)
          and c.relname ~ '_[0-9]{8}$'
          and to_date(right(c.relname, 8), 'YYYYMMDD') < case p.relname when 'event_log' then events else oldest end
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
    with old as (
        select ctid as tid from darkroom.event_log_default where numbered_at < events limit 10000)
    delete from darkroom.event_log_default d using old where d.ctid = old.tid;
    get diagnostics removed = row_count;
    if removed > 0 then
        return format('%s rows of event_log_default', removed);
    end if;
    return null;
end $$;
comment on function darkroom.prune_history is
    'Removes one day of history that is older than settings.history_days, or first some of its unsuccessful jobs with '
    'their uploads, or a day of events that are older than settings.event_days, read or not. Returns what it removed; null if '
    'nothing is left to remove. Fails with lock_not_available rather than hold up the workers that finish jobs.';
