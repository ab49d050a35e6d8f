create or replace function darkroom.order_erasure(of_post bigint, of_upload bigint, for_cause text) returns boolean
language plpgsql as $$
begin
    insert into darkroom.post_erasures (post_id, upload_id, cause) values (of_post, of_upload, for_cause)
    on conflict do nothing;
    if not found then
        return false;
    end if;
    perform darkroom.enqueue_once('erase_post', of_post, 'erasure', of_post, 'default', -5);
    return true;
end $$;
comment on function darkroom.order_erasure is
    'Queues the erasure of a post whose row the caller has locked. Returns false if that was done before.';
