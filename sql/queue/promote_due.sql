create or replace function darkroom.promote_due(at_most integer default 1000) returns integer
language plpgsql set enable_seqscan = off set jit = off set lock_timeout = '1s' as $$
declare
    chosen tid[] := array(
        select ctid from darkroom.jobs where waits_for = 'time' and run_at <= clock_timestamp()
        order by run_at limit at_most for update skip locked);
begin
    return darkroom.schedule_jobs(chosen);
end $$;
comment on function darkroom.promote_due is
    'Makes up to at_most scheduled jobs that are due ready to be claimed. Returns how many.';
