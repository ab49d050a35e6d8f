create or replace function darkroom.first_wait(in_lane smallint, at_time timestamptz) returns darkroom.job_wait
language plpgsql as $$
begin
    return case
        when exists (select from darkroom.pauses p join darkroom.lanes l on l.lane = in_lane
                     where p.drains and coalesce(p.queue, l.queue) = l.queue
                       and coalesce(p.kind, l.kind) = l.kind) then 'resume'
        when at_time > now() then 'time' end;
end $$;
comment on function darkroom.first_wait is
    'What a new job of a lane waits for: the end of a drain, its time, or nothing (null).';
