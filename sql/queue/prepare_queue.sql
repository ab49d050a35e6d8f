create or replace function darkroom.prepare_queue() returns void
language plpgsql as $$
begin
    perform darkroom.ensure_history_partitions();
    perform darkroom.lane_of('default', l.kind::darkroom.job_kind, l.priority)
    from (values ('ingest', 0), ('moderate', -10), ('prune_history', 50), ('tally', -20), ('reweigh', 50), ('erase_post', -5),
                 ('erase_person', -5), ('expire', 40), ('erase_originals', 50), ('rerender', 60), ('sweep', 60)) l (kind, priority);
end $$;
comment on function darkroom.prepare_queue is 'Makes the partitions of history and the lanes that every installation uses, where they are missing.';
