-- May be called by: api
-- Example:
--   select darkroom.ack_events('push', up_to => 1)
create or replace function darkroom.ack_events(consumer darkroom.word, up_to bigint) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
begin
    if up_to > coalesce(pg_sequence_last_value('darkroom.event_numbers'), 0) then
        raise exception using errcode = 'invalid_parameter_value',
            message = format('there is no event %s yet', up_to),
            hint = 'Acknowledge the number of an event that read_events returned.';
    end if;
    update darkroom.event_consumers c set number = up_to, acked_at = clock_timestamp()
    where c.consumer = ack_events.consumer and c.number < up_to;
    return found;
end $$;
comment on function darkroom.ack_events is
    'Records that a consumer has handled all events up to a number that read_events returned. Returns false if it had '
    'acknowledged that already or is unknown. Errors: 22023 for a number that no event has reached.';
