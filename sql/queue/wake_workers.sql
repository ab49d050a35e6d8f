create or replace function darkroom.wake_workers() returns void
language plpgsql as $$
begin
    if exists (select from darkroom.workers where is_idle) then
        perform pg_notify('darkroom.jobs', '');
    end if;
end $$;
comment on function darkroom.wake_workers is
    'Wakes idle workers when the transaction commits; does nothing if all are busy. Workers also poll, so a lost '
    'wake-up only causes a delay.';
