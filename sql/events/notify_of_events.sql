create or replace function darkroom.notify_of_events() returns integer
language plpgsql as $$
declare
    fresh integer := darkroom.number_events();
begin
    if fresh > 0 and exists (select from darkroom.event_consumers) then
        perform pg_notify('darkroom.events', '');
    end if;
    return fresh;
end $$;
comment on function darkroom.notify_of_events is
    'Numbers the new events and wakes their readers. For the tally job: writers never notify, since a notification '
    'briefly locks all commits of the server.';
