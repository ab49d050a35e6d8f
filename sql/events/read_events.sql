-- May be called by: api
-- Example:
--   select number, event, post_id, uploader from darkroom.read_events('push', at_most => 100)
create or replace function darkroom.read_events(consumer darkroom.word, at_most bigint default 100) returns setof darkroom.post_event
language plpgsql rows 100 security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off
set jit = off as $$
#variable_conflict use_variable
declare
    wanted integer := least(1000, greatest(1, coalesce(at_most, 100)));
    last   bigint;
begin
    -- Two readers of one consumer take turns if they acknowledge in the transaction in which they read.
    select c.number into last from darkroom.event_consumers c where c.consumer = read_events.consumer for update;
    if not found then
        perform darkroom.add_consumer(consumer);
        return;
    end if;
    return query select * from darkroom.events_after(last, wanted);
end $$;
comment on function darkroom.read_events is
    'The events after those that a consumer has acknowledged, oldest first, 1 to 1,000 at a time: the same ones again '
    'until ack_events is called. A consumer is any name of 1 to 100 characters; the first call registers it, and it '
    'gets what happens from then on. The events of a post come in the order in which they happened. uploader is whose '
    'post or upload it is; null once that is erased. A consumer that falls behind by more than settings.event_days misses '
    'the events removed meanwhile. Errors: 23502 or 23514 for a name out of range, 22023 for a new name if there are as many consumers as '
    'settings.most_consumers allows.';
