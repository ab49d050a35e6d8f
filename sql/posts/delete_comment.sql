-- May be called by: api
-- Example:
--   select darkroom.delete_comment(comment_id => 1, person => 'user-9')
create or replace function darkroom.delete_comment(comment_id bigint, person darkroom.person) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    target bigint := comment_id;
    whom   text := person;
    of_post bigint;
begin
    update darkroom.comments c set deleted_at = now(), body = '-'
    where c.comment_id = target and c.deleted_at is null
      and (c.author = whom or exists (select from darkroom.posts p where p.post_id = c.post_id and p.uploader = whom))
    returning c.post_id into of_post;
    if not found then
        return false;
    end if;
    insert into darkroom.counter_changes (post_id, comments) values (of_post, -1);
    insert into darkroom.outbox (post_id, event, comment_id) values (of_post, 'comment_deleted', target);
    return true;
end $$;
comment on function darkroom.delete_comment is
    'Deletes a comment and its text for a person: its author, or the uploader of the post. Returns false if there is no such '
    'comment, or it is neither theirs nor under a post of theirs.';
