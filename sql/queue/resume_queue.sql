create or replace function darkroom.resume_queue(in_queue text, of_kind text) returns boolean
language plpgsql as $$
declare
    ended boolean;
begin
    -- Checks that the queue exists.
    perform darkroom.lanes_of(in_queue, of_kind);
    delete from darkroom.pauses where queue is not distinct from in_queue and kind is not distinct from of_kind;
    ended := found;
    perform darkroom.unpark_drained();
    perform darkroom.wake_workers();
    return ended;
end $$;
comment on function darkroom.resume_queue is
    'Ends a pause or drain, and releases the first of the parked jobs; the upkeep releases the others within seconds. Returns '
    'false if nothing was paused under these names. Errors: P0002.';
