-- May be called by: api
-- Example:
--   select darkroom.delete_comment(comment_id => 1, person => 'user-9')
create or replace function darkroom.delete_comment(comment_id bigint, person darkroom.person) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    target bigint := comment_id;
    whom   text := person;
    old    darkroom.comments;
begin
    -- Reviews take the same lock.
    select * into old from darkroom.comments c
    where c.comment_id = target and not c.is_deleted
      -- The uploader of the post does not know of one that is held, hidden or removed.
      and (c.author = whom or c.state = 'published' and exists (
               select from darkroom.posts p where p.post_id = c.post_id and p.uploader = whom))
    for no key update;
    if not found then
        return false;
    end if;
    update darkroom.comments c set is_deleted = true, state = 'removed', ended_at = now() where c.comment_id = target;
    if old.state = 'published' then
        insert into darkroom.counter_changes (post_id, comments) values (old.post_id, -1);
        insert into darkroom.outbox (post_id, event, comment_id) values (old.post_id, 'comment_deleted', target);
    end if;
    -- An appeal against a removal ends with the comment; the removal stands.
    delete from darkroom.reviews r
    where r.post_id = old.post_id and r.comment_id = target and (not r.is_binding or old.state = 'removed');
    if old.state = 'removed' then
        delete from darkroom.appeals a where a.post_id = old.post_id and a.comment_id = target and a.decision_id is null;
        perform darkroom.forget_comment_text(target);
    elsif exists (select from darkroom.reports r where r.post_id = old.post_id and r.comment_id = target and r.is_agreed is null) then
        insert into darkroom.moderation_backlog (post_id, comment_id) values (old.post_id, target);
    else
        perform darkroom.forget_comment_text(target);
    end if;
    return true;
end $$;
comment on function darkroom.delete_comment is
    'Deletes a comment for a person: its author, or, while readers see it, the uploader of the post. Nobody reads it any more; its text is erased at once, or, if '
    'a report on it waits for a person, once that person has decided. Returns false if there is no such '
    'comment, or it is neither theirs nor seen under a post of theirs.';
