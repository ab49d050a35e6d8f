-- A row and not an advisory lock, since every login may hold an advisory lock.
create or replace function darkroom.take_lock(of_name text, of_number integer default 0) returns void
language plpgsql set enable_seqscan = off as $$
begin
    perform from darkroom.locks l where l.name = of_name and l.number = of_number for update;
    if not found then
        raise exception using errcode = 'internal_error', message = format('there is no lock %s %s', of_name, of_number);
    end if;
end $$;
comment on function darkroom.take_lock is
    'Waits until nobody else holds or shares a lock, and holds it until the transaction ends.';
