create or replace function darkroom.ensure_history_partitions(days_ahead integer default 3) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    made   integer := 0;
    day    date;
    parent text;
    child  text;
begin
    -- Two workers may call this at the same time.
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
    'Creates the history partitions of today and the days ahead. Returns how many it created.';
