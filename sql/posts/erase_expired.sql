create or replace function darkroom.erase_expired(at_most integer default 1000) returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    one  record;
    made integer := 0;
begin
    for one in
        select p.post_id, p.upload_id from darkroom.posts p
        where p.state = 'expired'
          and p.expires_at <= now() - make_interval(days => (select expired_days from darkroom.settings))
        order by p.expires_at, p.post_id limit at_most for no key update skip locked
    loop
        perform darkroom.order_erasure(one.post_id, one.upload_id, 'expired');
        -- Takes the post out of the index that this function reads.
        update darkroom.posts set state = 'removed' where post_id = one.post_id;
        made := made + 1;
    end loop;
    return made;
end $$;
comment on function darkroom.erase_expired is
    'Queues the erasure of up to at_most posts that expired more than settings.expired_days ago. Returns how many.';
