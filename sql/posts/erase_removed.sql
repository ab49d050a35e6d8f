create or replace function darkroom.erase_removed(at_most integer default 1000) returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    one    bigint;
    source bigint;
    made   integer := 0;
begin
    for one in
        select d.post_id
        from (select r.post_id from darkroom.removals r
              where not r.is_settled
                and r.removed_at < now() - make_interval(days => (select removed_days from darkroom.settings))
                and not exists (select from darkroom.reviews v where v.post_id = r.post_id and v.comment_id = 0)
              order by r.removed_at limit at_most) d
        order by d.post_id
    loop
        select p.upload_id into source from darkroom.posts p
        where p.post_id = one and p.state = 'removed' for no key update skip locked;
        if found then
            -- A separate statement, so that it sees an appeal that the lock waited for.
            continue when exists (select from darkroom.reviews v where v.post_id = one and v.comment_id = 0)
                       or exists (select from darkroom.appeals a where a.post_id = one and a.comment_id = 0 and a.decision_id is null);
            perform darkroom.order_erasure(one, source, 'removed');
        elsif exists (select from darkroom.posts p where p.post_id = one) then
            continue;
        end if;
        update darkroom.removals set is_settled = true where post_id = one;
        made := made + 1;
    end loop;
    return made;
end $$;
comment on function darkroom.erase_removed is
    'Queues the erasure of up to at_most posts that reviews removed more than settings.removed_days ago, unless a review or '
    'an appeal is open. Their removals stay on the uploaders'' records. Returns how many it settled.';
