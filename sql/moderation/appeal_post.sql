-- May be called by: api
-- Example:
--   select darkroom.appeal_post(post_id => 2, uploader => 'user-2', text => 'It is my own photo.')
create or replace function darkroom.appeal_post(post_id bigint, uploader darkroom.person, text darkroom.prose) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_variable
declare
    target bigint := appeal_post.post_id;
    stands darkroom.post_state;
    made   bigint;
begin
    if text is null then
        raise exception using errcode = 'not_null_violation', message = 'an appeal needs a text',
            hint = 'Give the uploader''s text, 1 to 5,000 characters.';
    elsif darkroom.is_blank(text) then
        raise exception using errcode = 'check_violation', constraint = 'appeal_is_not_blank',
            message = 'the appeal is blank', hint = 'Give the uploader''s text.';
    end if;
    -- Reviews take the same lock.
    select p.state into stands from darkroom.posts p
    where p.post_id = target and p.uploader = appeal_post.uploader for no key update;
    if not found then
        raise exception using errcode = 'no_data_found',
            message = format('this uploader has no post %s', target);
    elsif stands not in ('held', 'hidden', 'removed') then
        raise exception using errcode = 'object_not_in_prerequisite_state',
            message = format('post %s is %s: there is nothing to appeal against', target, stands);
    end if;
    -- A separate statement, so that it sees the deletion that the lock waited for.
    if exists (select from darkroom.post_erasures e where e.post_id = target) then
        raise exception using errcode = 'object_not_in_prerequisite_state',
            message = format('post %s is being erased: there is nothing left to appeal for', target),
            hint = 'It was deleted, or its removal is older than an appeal may be.';
    end if;
    insert into darkroom.appeals (post_id, uploader, text) values (target, uploader, text)
    on conflict do nothing returning appeal_id into made;
    if not found then
        raise exception using errcode = 'unique_violation', constraint = 'one_open_appeal',
            message = format('post %s already has an open appeal', target),
            hint = 'Wait for the decision on it.';
    end if;
    perform darkroom.list_for_review(target, 'appeal', appeal => made);
    return made;
end $$;
comment on function darkroom.appeal_post is
    'Puts a held, hidden or removed post back into the review list with its uploader''s text (1 to 5,000 characters), '
    'and returns the appeal''s number. Errors: P0002 if this uploader has no such post, 55000 if there is nothing to '
    'appeal against, as for a post that is being erased, 23505 (one_open_appeal) if an appeal '
    'is open already, 23502 for a missing text, 23514 for a text out of range.';
