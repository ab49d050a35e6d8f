create or replace function darkroom.missing_history_partitions(days_ahead integer default 3)
returns table (parent text, child text, day date)
language sql stable as $$
    select p.parent, c.child, d.day
    from unnest(array['finished_jobs', 'job_attempts', 'event_log']) as p (parent),
         generate_series(0, days_ahead) as a (ahead),
         lateral (select (now() at time zone 'UTC')::date + a.ahead) as d (day),
         lateral (select p.parent || '_' || to_char(d.day, 'YYYYMMDD')) as c (child)
    where not exists (select from pg_inherits i
                      where i.inhrelid = to_regclass('darkroom.' || c.child) and not i.inhdetachpending)
    order by p.parent, d.day
$$;
comment on function darkroom.missing_history_partitions is
    'The history partitions of today and the days ahead that do not exist.';
