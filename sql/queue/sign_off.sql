create or replace function darkroom.sign_off(of_worker bigint) returns bigint[]
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    returned bigint[];
begin
    -- Waits for a claim that is still under way on another connection.
    perform from darkroom.workers w where w.worker_id = of_worker for update;
    returned := array(
        select t.job_id from darkroom.take_back_leases(
            of_worker, (of_worker + 1 << 36) - 1, '{}', '{}', 'returned', 'worker_stopped',
            format('Worker %s stopped before it ended the job.', of_worker)) t
        order by 1);
    delete from darkroom.workers w
    where w.worker_id = of_worker
      and not exists (select from darkroom.leases l
                      where l.lease between of_worker << 36 and (of_worker + 1 << 36) - 1);
    return returned;
end $$;
comment on function darkroom.sign_off is
    'Removes a worker that stops. What it still holds waits again; returns those jobs. If somebody has locked one of them, '
    'the worker''s row stays, and others rescue the job.';
