create or replace function darkroom.notify_of_events() returns integer
language plpgsql as $$
declare
    fresh integer := darkroom.number_events();
begin
    -- 'darkroom serve' listens too, for its phones, and is no consumer.
    if fresh > 0 then
        perform pg_notify('darkroom.events', '');
    end if;
    return fresh;
end $$;
comment on function darkroom.notify_of_events is
    'Numbers the new events and wakes their readers. For the tally job: writers never notify, since a notification '
    'briefly locks all commits of the server.';
