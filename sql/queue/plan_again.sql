create or replace function darkroom.plan_again(at_most integer default 1000) returns integer
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off set lock_timeout = '1s' as $$
declare
    made integer;
begin
    with far as materialized (
        select j.job_id, j.attempt, j.run_at from darkroom.jobs j
        where j.waits_for = 'time' and j.attempt > 0 and j.run_at > now() order by j.run_at desc limit at_most),
    mistimed as materialized (
        select f.job_id, f.attempt, f.run_at::timestamptz - a.ended_at as delay
        from far f join darkroom.job_attempts a
             on a.job_id = f.job_id and a.attempt = f.attempt and a.ended_at > now() + interval '1 second'
                -- Else it has been planned again.
                and f.run_at >= a.ended_at)
    update darkroom.jobs j set run_at = clock_timestamp() + m.delay
    from mistimed m where j.job_id = m.job_id and j.attempt = m.attempt and j.waits_for = 'time';
    get diagnostics made = row_count;
    return made;
end $$;
comment on function darkroom.plan_again is
    'Computes again when jobs are tried again whose last attempt ended in the future: the server''s clock was wrong when it ended. Looks '
    'at the at_most that are to wait longest. Returns how many it changed.';
