create or replace function darkroom.state_of(lease bigint, waits_for darkroom.job_wait) returns darkroom.job_state
language sql immutable parallel safe as $$
    select case when lease is not null then 'running'
                when waits_for is null then 'waiting'
                when waits_for = 'time' then 'scheduled'
                else 'parked' end::darkroom.job_state
$$;
comment on function darkroom.state_of is
    'The state of an unfinished job: running with a lease; else waiting, scheduled for a time, or parked.';
