create or replace function darkroom.wake_workers(in_queue text default null, of_kind text default null) returns void
language plpgsql as $$
begin
    if darkroom.may_notify() and exists (
        select from darkroom.worker_queues q
        where q.queue = coalesce(in_queue, q.queue) and q.awaited is not null
          and (of_kind is null or of_kind = any (q.awaited)))
    then
        perform pg_notify('darkroom.jobs', '');
    end if;
end $$;
comment on function darkroom.wake_workers is
    'Wakes the workers that wait for jobs of a queue and kind (null: of any) when the transaction commits; does nothing if there are '
    'none. Workers also poll, so a lost wake-up only causes a delay.';
