create or replace function darkroom.rescue_jobs(lease_seconds double precision)
returns table (job_id bigint, worker_id bigint, is_quarantined boolean)
language plpgsql as $$
#variable_conflict use_column
declare
    dead   bigint[];
    orphan record;
    fault  text;
begin
    -- The row lock makes this and a late heartbeat or claim take turns: the second sees the first.
    dead := array(
        select w.worker_id from darkroom.workers w
        where w.heartbeat_at < clock_timestamp() - make_interval(secs => lease_seconds)
        for update skip locked);
    for orphan in
        select j.job_id, j.lease, j.worker_id, j.stage, j.crashes + 1 as crashes,
               coalesce((select p.max_crashes from darkroom.kind_policies p where p.kind = j.kind), 3)
                   <= j.crashes + 1 as is_poison
        from darkroom.jobs j where j.worker_id = any (dead) order by j.job_id
    loop
        fault := format('Worker %s died or was cut off%s.', orphan.worker_id, ' while ' || orphan.stage);
        if orphan.is_poison then
            continue when darkroom.finish_jobs(
                array[orphan.job_id], array[orphan.lease], 'failed', 'poison',
                format('The job took its worker or renderer down %s times and is quarantined. The last time: %s', orphan.crashes,
                       fault), crashes => 1) <> '{}';
        else
            continue when not darkroom.return_job(
                orphan.job_id, orphan.lease, 'crashed', 'worker_died', fault, crashes => 1);
        end if;
        job_id := orphan.job_id;
        worker_id := orphan.worker_id;
        is_quarantined := orphan.is_poison;
        return next;
    end loop;
    delete from darkroom.workers w where w.worker_id = any (dead);
end $$;
comment on function darkroom.rescue_jobs is
    'Takes back the jobs of workers that were not heard from for lease_seconds, counts a crash for each job, and '
    'removes the workers. A job that has used up its crashes is quarantined: it fails with the reason poison.';
