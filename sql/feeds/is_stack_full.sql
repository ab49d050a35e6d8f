-- The posts below a stacked one lead readers to it, so one of them must stay until the stacked one commits. Locking
-- one that another transaction removes would have to wait, so such posts do not count.
create or replace function darkroom.is_stack_full(at_position point) returns boolean
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set jit = off set plan_cache_mode = force_generic_plan as $$
begin
    perform from darkroom.feed f where f.position ~= at_position and not f.is_stacked offset darkroom.stack_size() - 1 limit 1;
    if not found then
        return false;
    end if;
    perform from darkroom.feed f where f.position ~= at_position and not f.is_stacked
    limit 1 for key share skip locked;
    return found;
end $$;
comment on function darkroom.is_stack_full is
    'Whether the index of positions has stack_size posts at exactly this position. If so, one of them cannot leave until '
    'the transaction ends.';
