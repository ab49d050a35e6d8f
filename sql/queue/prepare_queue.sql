create or replace function darkroom.prepare_queue() returns void
language plpgsql as $$
declare
    one record;
begin
    perform darkroom.ensure_history_partitions();
    for one in
        select k.kind, k.priority, k.schedule, k.cron, k.attempt_deadline
        from (values
            ('ingest', 0, null, null, null), ('moderate', -10, null, null, null),
            ('tally', -20, 'tally', '*/5 * * * *', null), ('reweigh', 50, 'reweigh', '29 * * * *', null),
            ('erase_post', -5, null, null, null), ('erase_person', -5, null, null, interval '1 hour'),
            ('expire', 40, 'expire', '*/5 * * * *', interval '30 minutes'),
            ('erase_originals', 50, 'erase-originals', '41 * * * *', interval '1 hour'), ('rerender', 60, null, null, null),
            ('sweep', 60, 'sweep', '7 3 * * *', interval '12 hours'),
            ('prune_history', 50, 'prune-history', '17 * * * *', null), ('noop', null, null, null, null)
        ) as k (kind, priority, schedule, cron, attempt_deadline)
    loop
        insert into darkroom.job_kinds (kind) values (one.kind) on conflict do nothing;
        -- Only together with the kind, so that an operator's later changes stay.
        continue when not found;
        insert into darkroom.schedules (name, cron, kind, priority)
        select one.schedule, one.cron, one.kind, one.priority where one.schedule is not null;
        insert into darkroom.kind_policies (kind, attempt_deadline)
        select one.kind, one.attempt_deadline where one.attempt_deadline is not null;
        -- Other lanes are made by their first job, which makes every other new lane wait for its transaction.
        perform darkroom.lane_of('default', one.kind, one.priority) where one.priority is not null;
    end loop;
end $$;
comment on function darkroom.prepare_queue is
    'Creates what an installation''s queue needs and does not have yet: history partitions, and the kinds of jobs with '
    'their lanes, schedules and retry policies. darkroom migrate calls it at its end.';
