create or replace function darkroom.leave_feed(target bigint) returns void
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set jit = off as $$
declare
    gone darkroom.feed;
begin
    delete from darkroom.feed f where f.post_id = target returning * into gone;
    if not found then
        return;
    end if;
    delete from darkroom.ranks r where r.post_id = target;
    insert into darkroom.map_changes (leaf, post_id, posts, sum_x, sum_y)
    values (gone.leaf, target, -1, - round(gone.position[0] * 16), - round(gone.position[1] * 16));
    -- The row of another post is not written here: an app's transaction may hold both for long.
    if not gone.is_stacked and exists (
           select from darkroom.feed s
           where s.is_stacked and s.position[0] = gone.position[0] and s.position[1] = gone.position[1])
       or not gone.is_stacked_in_category and exists (
           select from darkroom.feed s
           where s.is_stacked_in_category and s.category = gone.category and s.position[0] = gone.position[0]
             and s.position[1] = gone.position[1])
       or not gone.is_stacked_in_activity and exists (
           select from darkroom.feed s
           where s.is_stacked_in_activity and s.activity = gone.activity and s.position[0] = gone.position[0]
             and s.position[1] = gone.position[1])
    then
        insert into darkroom.stack_changes (position, category, activity) values (gone.position, gone.category, gone.activity);
    end if;
end $$;
comment on function darkroom.leave_feed is
    'Removes a post from feed and ranks, and queues the change of the map. If posts are stacked on it, the tally lets one '
    'take its place in the index of positions.';
