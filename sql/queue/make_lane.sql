-- Separate from lane_of, since creating a lane's sequence needs the schema owner's rights and finding a lane does not.
create or replace function darkroom.make_lane(in_queue text, of_kind text, at_priority integer) returns smallint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    found_lane smallint;
begin
    -- A second caller waits here and then finds the lane of the first. So the next numbers are free, and what is rolled back
    -- uses none of the 32767 that there are.
    perform darkroom.take_lock('make_lane');
    if not exists (select from darkroom.queues where name = in_queue) then
        if (select count(*) from darkroom.queues) >= (select s.most_queues from darkroom.settings s) then
            raise exception using errcode = 'invalid_parameter_value',
                message = 'there is no such queue, and there are as many as settings.most_queues allows',
                hint = 'Enqueue into one of the queues that there are, or raise settings.most_queues.';
        end if;
        insert into darkroom.queues (name) values (in_queue);
    end if;
    select lane into found_lane from darkroom.lanes
    where queue = in_queue and kind = of_kind and priority = at_priority;
    if not found then
        if (select count(*) from darkroom.lanes) >= (select s.most_lanes from darkroom.settings s) then
            raise exception using errcode = 'invalid_parameter_value',
                message = 'the queue has no such priority, and there are as many lanes as settings.most_lanes allows',
                hint = 'Use fewer priorities, or raise settings.most_lanes.';
        end if;
        select coalesce(max(lane), 0) + 1 into found_lane from darkroom.lanes;
        execute format('create sequence darkroom.lane_%s as bigint', found_lane);
        insert into darkroom.lanes (lane, queue, kind, priority, position)
        values (found_lane, in_queue, of_kind, at_priority, format('darkroom.lane_%s', found_lane)::regclass);
    end if;
    return found_lane;
end $$;
comment on function darkroom.make_lane is 'Creates the lane of a queue, kind and priority, and returns it.';
