create or replace function darkroom.leave_feed(target bigint) returns void
language plpgsql set enable_seqscan = off set jit = off as $$
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
    if gone.is_stacked or not exists (
        select from darkroom.feed s
        where s.is_stacked and s.position[0] = gone.position[0] and s.position[1] = gone.position[1])
    then
        return;
    end if;
    update darkroom.feed f set is_stacked = false
    where f.post_id = (
        select s.post_id from darkroom.feed s
        where s.is_stacked and s.position[0] = gone.position[0] and s.position[1] = gone.position[1]
        order by s.position[0], s.position[1], s.post_id desc limit 1 for no key update skip locked);
    -- Another transaction locks all that are stacked. That matters only if this was the last one below them.
    if not found and not exists (select from darkroom.feed f where f.position ~= gone.position and not f.is_stacked) then
        update darkroom.feed f set is_stacked = false
        where f.is_stacked and f.position[0] = gone.position[0] and f.position[1] = gone.position[1];
    end if;
end $$;
comment on function darkroom.leave_feed is
    'Removes a post from feed and ranks, and queues the change of the map. If posts are stacked on it, one of them takes '
    'its place in the index of positions.';
