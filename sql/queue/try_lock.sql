create or replace function darkroom.try_lock(of_name text, of_number integer default 0) returns boolean
language plpgsql set enable_seqscan = off as $$
begin
    perform from darkroom.locks l where l.name = of_name and l.number = of_number for update skip locked;
    return found;
end $$;
comment on function darkroom.try_lock is
    'Like take_lock, but does not wait: returns false if somebody else holds or shares the lock.';
