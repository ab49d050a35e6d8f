create or replace function darkroom.orphaned_leases() returns setof bigint
language sql stable set enable_seqscan = off set jit = off as $$
    with recursive holders as (
        select darkroom.worker_of(min(lease)) as worker_id from darkroom.leases
        union all
        select (select darkroom.worker_of(min(l.lease)) from darkroom.leases l where l.lease >= h.worker_id + 1 << 36)
        from holders h where h.worker_id is not null)
    select h.worker_id from holders h
    where h.worker_id is not null and not exists (select from darkroom.workers w where w.worker_id = h.worker_id)
$$;
comment on function darkroom.orphaned_leases is
    'The numbers of workers that hold leases but have no row: nobody hears whether they live.';
