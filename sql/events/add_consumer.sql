create or replace function darkroom.add_consumer(consumer text, is_from_start boolean default false) returns boolean
language plpgsql as $$
#variable_conflict use_variable
begin
    if consumer is null then
        raise exception using errcode = 'not_null_violation', message = 'a consumer needs a name',
            hint = 'Give 1 to 100 characters.';
    elsif char_length(consumer) not between 1 and 100 then
        raise exception using errcode = 'check_violation', constraint = 'consumer_is_1_to_100_characters',
            message = format('the consumer''s name has %s characters', char_length(consumer)), hint = 'Give 1 to 100.';
    end if;
    if (select count(*) from darkroom.event_consumers) >= (select s.most_consumers from darkroom.settings s)
       and not exists (select from darkroom.event_consumers c where c.consumer = add_consumer.consumer)
    then
        raise exception using errcode = 'invalid_parameter_value',
            message = 'there is no such consumer, and there are as many as settings.most_consumers allows',
            hint = 'Delete the row of one that no longer reads in darkroom.event_consumers, or raise settings.most_consumers.';
    end if;
    insert into darkroom.event_consumers (consumer, number)
    values (add_consumer.consumer,
            case when is_from_start then 0 else coalesce(pg_sequence_last_value('darkroom.event_numbers'), 0) end)
    on conflict do nothing;
    return found;
end $$;
comment on function darkroom.add_consumer is
    'Registers a consumer of events. It gets the events from now on or, from the start, all that are kept. Returns '
    'false if it is registered already. Errors: 23502 for no name, 23514 for one out of range.';
