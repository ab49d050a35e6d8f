create or replace function darkroom.full_stacks(
    at_position point, in_category text, in_activity text, out of_all boolean, out of_category boolean, out of_activity boolean
)
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set jit = off set plan_cache_mode = force_generic_plan as $$
begin
    of_all := false;
    of_category := false;
    of_activity := false;
    -- Most tiles have fewer posts, which is quicker to see in the list that the post enters anyway.
    perform from darkroom.feed f where f.leaf = darkroom.tile_at(at_position[0], at_position[1], 20)
    offset darkroom.stack_size() - 1 limit 1;
    if not found then
        return;
    end if;
    perform from darkroom.feed f where f.position ~= at_position and not f.is_stacked
    offset darkroom.stack_size() - 1 limit 1;
    if not found then
        return;
    end if;
    of_all := true;
    perform from darkroom.feed f
    where darkroom.plane_of(f.category, f.position) ~= darkroom.plane_of(in_category, at_position)
      and f.category = in_category and f.position ~= at_position and not f.is_stacked_in_category
    offset darkroom.stack_size() - 1 limit 1;
    of_category := found;
    perform from darkroom.feed f
    where darkroom.plane_of(f.activity, f.position) ~= darkroom.plane_of(in_activity, at_position)
      and f.activity = in_activity and f.position ~= at_position and not f.is_stacked_in_activity
    offset darkroom.stack_size() - 1 limit 1;
    of_activity := found;
end $$;
comment on function darkroom.full_stacks is
    'Whether the indexes of all positions, of a category''s and of an activity''s have stack_size posts at exactly this '
    'position.';
