create or replace function darkroom.virtual_time(of_lane smallint) returns bigint
language plpgsql as $$
begin
    return (select coalesce(pg_sequence_last_value(l.position), 1) from darkroom.lanes l where l.lane = of_lane);
end $$;
comment on function darkroom.virtual_time is 'The slot that claims of the lane have reached.';
