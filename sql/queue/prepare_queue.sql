create or replace function darkroom.prepare_queue() returns void
language plpgsql as $$
begin
    perform darkroom.ensure_history_partitions();
    with registered as (
        insert into darkroom.job_kinds (kind)
        values ('ingest'), ('moderate'), ('prune_history'), ('tally'), ('reweigh'), ('erase_post'), ('erase_person'), ('expire'),
               ('erase_originals'), ('rerender'), ('sweep'), ('noop')
        on conflict do nothing returning kind)
    -- Adds a schedule only together with its kind, so that an operator's later changes stay.
    insert into darkroom.schedules (name, cron, kind, priority)
    select s.name, s.cron, s.kind, s.priority
    from registered r join (values
        ('prune-history', '17 * * * *', 'prune_history', 50), ('tally', '*/5 * * * *', 'tally', -20),
        ('reweigh', '29 * * * *', 'reweigh', 50), ('expire', '*/5 * * * *', 'expire', 40),
        ('erase-originals', '41 * * * *', 'erase_originals', 50), ('sweep', '7 3 * * *', 'sweep', 60)
    ) as s (name, cron, kind, priority) using (kind);
    -- The first job of another kind, queue and priority creates its lane.
    perform darkroom.lane_of('default', 'ingest', 0), darkroom.lane_of('default', 'moderate', -10),
            darkroom.lane_of('default', 'tally', -20);
end $$;
comment on function darkroom.prepare_queue is
    'Creates what an installation''s queue needs and does not have yet: history partitions, kinds of jobs with their '
    'schedules, and the busiest lanes. darkroom migrate calls it at its end.';
