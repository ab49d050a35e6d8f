create or replace function darkroom.lane_of(in_queue text, of_kind text, at_priority integer)
returns smallint
language plpgsql as $$
declare
    found_lane smallint;
begin
    select l.lane into found_lane
    from darkroom.lanes l
    where l.queue = in_queue and l.kind = of_kind and l.priority = at_priority;
    if found then
        return found_lane;
    end if;
    if in_queue is null then
        perform darkroom.missing('queue');
    elsif at_priority is null or at_priority not between -100 and 100 then
        raise exception using errcode = 'invalid_parameter_value',
            message = format('priority %s is outside -100 to 100', coalesce(at_priority::text, 'null')),
            hint = 'Lower runs first; 0 is the default.';
    end if;
    if not exists (select from darkroom.job_kinds k where k.kind = of_kind) then
        raise exception using errcode = 'invalid_parameter_value',
            message = format('there is no kind of job named %s', coalesce(left(of_kind, 80), 'null')),
            hint = (select 'Give one of ' || string_agg(k.kind, ', ' order by k.kind) || '.' from darkroom.job_kinds k);
    end if;
    return darkroom.make_lane(in_queue, of_kind, at_priority);
end $$;
comment on function darkroom.lane_of is 'The lane of a queue, kind and priority; created if missing. Errors: 22023.';
