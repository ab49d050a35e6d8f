create or replace function darkroom.resume_queue(in_queue text, of_kind text) returns boolean
language plpgsql as $$
declare
    these smallint[] := darkroom.lanes_of(in_queue, of_kind);
    ended boolean;
begin
    delete from darkroom.pauses
    where queue_id is not distinct from (select queue_id from darkroom.queues where name = in_queue)
      and kind is not distinct from of_kind;
    ended := found;
    update darkroom.jobs j
    set waits_for = case when j.run_at > clock_timestamp() then 'time' end::darkroom.job_wait,
        slot = greatest(j.slot, darkroom.virtual_time(j.lane))
    where j.lane = any (these) and j.waits_for = 'resume'
      and not exists (select from darkroom.pauses p join darkroom.lanes l on l.lane = j.lane
                      where p.drains and coalesce(p.queue_id, l.queue_id) = l.queue_id
                        and coalesce(p.kind, l.kind) = l.kind);
    perform darkroom.wake_workers();
    return ended;
end $$;
comment on function darkroom.resume_queue is
    'Ends a pause or drain and releases the parked jobs. Returns false if nothing was paused under these names.';
