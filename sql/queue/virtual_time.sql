create or replace function darkroom.virtual_time(of_lane smallint) returns bigint
language sql as $$
    select coalesce(pg_sequence_last_value(position), 1) from darkroom.lanes where lane = of_lane
$$;
comment on function darkroom.virtual_time is 'The slot that claims of the lane have reached.';
