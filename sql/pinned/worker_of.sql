create or replace function darkroom.worker_of(lease bigint) returns bigint
language sql immutable parallel safe as $$
    select lease >> 36
$$;
comment on function darkroom.worker_of is 'The number of the worker that has a lease.';
