create or replace function darkroom.order_erasure(of_post bigint, of_upload bigint, for_cause text) returns boolean
language plpgsql as $$
begin
    insert into darkroom.post_erasures (post_id, upload_id, cause) values (of_post, of_upload, for_cause)
    on conflict do nothing;
    if not found then
        return false;
    end if;
    -- The end of an open review queues it.
    if not exists (select from darkroom.reviews r where r.post_id = of_post and r.comment_id = 0) then
        perform darkroom.queue_erasure(of_post);
    end if;
    return true;
end $$;
comment on function darkroom.order_erasure is
    'Orders the erasure of a post whose row the caller has locked, and queues it unless a review of the post is open. '
    'Returns false if that was done before.';
