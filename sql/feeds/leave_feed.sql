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
    if not gone.is_stacked then
        update darkroom.feed f set is_stacked = false
        where f.post_id = (
            select s.post_id from darkroom.feed s
            where s.is_stacked and s.position[0] = gone.position[0] and s.position[1] = gone.position[1]
            order by s.position[0], s.position[1], s.post_id desc limit 1 for no key update skip locked);
        -- Another transaction may lock all that are stacked. That matters only if this was the last one below them.
        if not found and not exists (select from darkroom.feed f where f.position ~= gone.position and not f.is_stacked) then
            update darkroom.feed f set is_stacked = false
            where f.is_stacked and f.position[0] = gone.position[0] and f.position[1] = gone.position[1];
        end if;
    end if;
    if gone.category is not null and not gone.is_stacked_in_category then
        update darkroom.feed f set is_stacked_in_category = false
        where f.post_id = (
            select s.post_id from darkroom.feed s
            where s.is_stacked_in_category and s.category = gone.category and s.position[0] = gone.position[0]
              and s.position[1] = gone.position[1]
            order by s.category, s.position[0], s.position[1], s.post_id desc limit 1 for no key update skip locked);
        if not found and not exists (
            select from darkroom.feed f
            where darkroom.plane_of(f.category, f.position) ~= darkroom.plane_of(gone.category, gone.position)
              and f.category = gone.category and f.position ~= gone.position and not f.is_stacked_in_category)
        then
            update darkroom.feed f set is_stacked_in_category = false
            where f.is_stacked_in_category and f.category = gone.category and f.position[0] = gone.position[0]
              and f.position[1] = gone.position[1];
        end if;
    end if;
    if gone.event is not null and not gone.is_stacked_in_event then
        update darkroom.feed f set is_stacked_in_event = false
        where f.post_id = (
            select s.post_id from darkroom.feed s
            where s.is_stacked_in_event and s.event = gone.event and s.position[0] = gone.position[0]
              and s.position[1] = gone.position[1]
            order by s.event, s.position[0], s.position[1], s.post_id desc limit 1 for no key update skip locked);
        if not found and not exists (
            select from darkroom.feed f
            where darkroom.plane_of(f.event, f.position) ~= darkroom.plane_of(gone.event, gone.position)
              and f.event = gone.event and f.position ~= gone.position and not f.is_stacked_in_event)
        then
            update darkroom.feed f set is_stacked_in_event = false
            where f.is_stacked_in_event and f.event = gone.event and f.position[0] = gone.position[0]
              and f.position[1] = gone.position[1];
        end if;
    end if;
end $$;
comment on function darkroom.leave_feed is
    'Removes a post from feed and ranks, and queues the change of the map. If posts are stacked on it, one of them takes '
    'its place in the index of positions.';
