-- One pass of a worker, in two transactions: the first leases a batch, the second finishes it.
-- Every leased row is sent to the client, as to a worker; the last row carries the batch's ids to the second transaction.
-- The ids are an array, because a join with them becomes a scan of all dead rows once statistics say that the table is empty.
\set lease random(1, 9000000000000000000)
with leased as (
    update bench_reference.jobs
    set state = 'running', lease = :lease, worker_id = :client_id, leased_at = clock_timestamp(),
        attempt = attempt + 1
    where job_id = any (array(
        select job_id from bench_reference.jobs
        where state = 'waiting'
        order by priority, slot
        limit $batch
        for update skip locked))
    returning job_id, kind, subject_id, lease, attempt)
select job_id, kind, subject_id, lease, attempt, null as ids from leased
union all
select null, null, null, coalesce(max(lease), 0), null, coalesce(array_agg(job_id), '{}') from leased \aset
with done as (
    delete from bench_reference.jobs
    where job_id = any (cast(:ids as bigint[])) and lease = :lease
    returning job_id, kind, priority, subject_id, fair_key, attempt, created_at)
insert into bench_reference.finished_jobs (
    job_id, kind, priority, subject_id, fair_key, attempt, created_at, finished_at)
select job_id, kind, priority, subject_id, fair_key, attempt, created_at, clock_timestamp() from done;
