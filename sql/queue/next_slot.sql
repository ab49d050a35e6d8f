-- Start-time fair queueing (Goyal, Vin, Cheng 1996): a key with waiting jobs continues after its last
-- one; any other key starts at the lane's virtual time, ahead of everybody else's backlog.
create or replace function darkroom.next_slot(
    in_lane smallint, of_key text, has_come_back boolean default false, turns bigint default null) returns bigint
language plpgsql set enable_seqscan = off set enable_sort = off set jit = off as $$
declare
    reached bigint := darkroom.virtual_time(in_lane);
    stride  bigint := darkroom.slot_stride(of_key);
    last    bigint;
begin
    if has_come_back then
        select slot into last from darkroom.jobs
        where lane = in_lane and fair_hash = hashtextextended(of_key, 0) and slot >= reached and came_back
          and (turns is null or slot <= reached + turns * stride)
        order by slot desc limit 1;
        -- Each other key has its turn first. Even a light key's job need not wait for hundreds of others once more.
        return coalesce(last + stride, reached + least(stride, 1048576));
    end if;
    select slot into last from darkroom.jobs
    where lane = in_lane and fair_hash = hashtextextended(of_key, 0) and slot >= reached
    order by slot desc limit 1;
    return coalesce(last + stride, reached);
end $$;
comment on function darkroom.next_slot is
    'The slot of a fair key''s next job in a lane: after the key''s last job, never before the lane''s virtual time. A job '
    'that has come back goes after the last of those only, and a turn after the virtual time; with turns, after the last that is '
    'so many turns away at most.';
