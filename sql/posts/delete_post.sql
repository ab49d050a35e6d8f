-- May be called by: api
-- Example:
--   select darkroom.delete_post(post_id => 3, uploader => 'user-3')
create or replace function darkroom.delete_post(post_id bigint, uploader darkroom.person) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    target bigint := post_id;
    stands darkroom.post_state;
    source bigint;
begin
    select p.state, p.upload_id into stands, source from darkroom.posts p
    where p.post_id = target and p.uploader = delete_post.uploader for no key update;
    if not found then
        raise exception using errcode = 'no_data_found',
            message = format('this uploader has no post %s', target),
            hint = 'It may have been deleted before.';
    end if;
    -- The appeal against a removal ends with the post; the removal stands. Nothing else keeps a removed post in the list.
    delete from darkroom.reviews r
    where r.post_id = target and r.comment_id = 0
      and (not r.is_binding or exists (select from darkroom.removals x where x.post_id = target));
    if not darkroom.order_erasure(target, source, 'uploader') then
        return false;
    end if;
    if stands <> 'removed' then
        update darkroom.posts p set state = 'removed' where p.post_id = target;
        insert into darkroom.outbox (post_id, event) values (target, 'removed');
    end if;
    -- Otherwise a deletion would be a way around the review: the same photo could come again.
    if darkroom.awaits_judgement(target) then
        perform darkroom.keep_hash(target);
    end if;
    return true;
end $$;
comment on function darkroom.delete_post is
    'Deletes a post for its uploader. Readers no longer see it once the transaction commits; its pictures, original, '
    'coordinates, votes, comments and reports are erased soon after, or once a review of it that is open has ended. '
    'Returns false if that is already under way. Errors: P0002 if the uploader has no such post.';
