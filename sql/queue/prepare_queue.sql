create or replace function darkroom.prepare_queue() returns void
language plpgsql as $$
declare
    one record;
begin
    perform darkroom.ensure_history_partitions();
    for one in
        -- The queue upkeep has slots of its own, so that what must happen every hour does not wait behind uploads.
        select k.kind, k.queue, k.priority, k.schedule, k.cron, k.attempt_deadline
        from (values
            ('ingest', 'default', 0, null, null, null), ('ingest_text', 'default', 0, null, null, null),
            ('moderate', 'default', -10, null, null, null), ('moderate_comment', 'default', -10, null, null, null),
            ('tally', 'default', -20, null, null, null),
            ('erase_post', 'default', -5, null, null, null), ('erase_person', 'default', -5, null, null, interval '1 hour'),
            ('expire', 'upkeep', 40, 'expire', '*/5 * * * *', interval '30 minutes'),
            ('erase_originals', 'upkeep', 50, 'erase-originals', '41 * * * *', interval '1 hour'),
            ('rerender', 'default', 60, null, null, null), ('relocate', 'default', -5, null, null, null),
            ('sweep', 'default', 60, 'sweep', '7 3 * * *', interval '12 hours'),
            ('prune_history', 'upkeep', 50, 'prune-history', '17 * * * *', null), ('noop', null, null, null, null, null)
        ) as k (kind, queue, priority, schedule, cron, attempt_deadline)
    loop
        insert into darkroom.job_kinds (kind) values (one.kind) on conflict do nothing;
        -- Only together with the kind, so that an operator's later changes stay.
        continue when not found;
        insert into darkroom.schedules (name, cron, kind, queue, priority)
        select one.schedule, one.cron, one.kind, one.queue, one.priority where one.schedule is not null;
        insert into darkroom.kind_policies (kind, attempt_deadline)
        select one.kind, one.attempt_deadline where one.attempt_deadline is not null;
        -- Other lanes are made by their first job, which makes every other new lane wait for its transaction.
        perform darkroom.lane_of(one.queue, one.kind, one.priority) where one.queue is not null;
    end loop;
end $$;
comment on function darkroom.prepare_queue is
    'Creates what an installation''s queue needs and does not have yet: history partitions, and the kinds of jobs with '
    'their lanes, schedules and retry policies. darkroom migrate calls it at its end.';
