create or replace function darkroom.share_lock(of_name text, of_number integer default 0) returns void
language plpgsql set enable_seqscan = off as $$
begin
    perform from darkroom.locks l where l.name = of_name and l.number = of_number for key share;
    if not found then
        raise exception using errcode = 'internal_error', message = format('there is no lock %s %s', of_name, of_number);
    end if;
end $$;
comment on function darkroom.share_lock is
    'Waits until nobody holds a lock, and shares it with others until the transaction ends.';
