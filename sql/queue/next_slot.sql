-- Start-time fair queueing (Goyal, Vin, Cheng 1996): a key with waiting jobs continues after its last
-- one; any other key starts at the lane's virtual time, ahead of everybody else's backlog.
create or replace function darkroom.next_slot(in_lane smallint, of_key text, in_line_of_back boolean default false)
returns bigint
language plpgsql set enable_seqscan = off set enable_sort = off set jit = off as $$
declare
    reached bigint := darkroom.virtual_time(in_lane);
    last    bigint;
begin
    if in_line_of_back then
        select slot into last from darkroom.jobs
        where lane = in_lane and fair_hash = hashtextextended(of_key, 0) and slot >= reached and came_back
        order by slot desc limit 1;
    else
        select slot into last from darkroom.jobs
        where lane = in_lane and fair_hash = hashtextextended(of_key, 0) and slot >= reached
        order by slot desc limit 1;
    end if;
    return coalesce(last + darkroom.slot_stride(of_key), reached);
end $$;
comment on function darkroom.next_slot is
    'The slot of a fair key''s next job in a lane: after the key''s last job, never before the lane''s virtual time. With '
    'in_line_of_back, it is after the last of those that came back.';
