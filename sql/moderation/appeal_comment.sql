-- May be called by: api
-- Example:
--   select darkroom.appeal_comment(comment_id => 3, author => 'user-9', text => 'It is a quotation.')
create or replace function darkroom.appeal_comment(comment_id bigint, author darkroom.person, text darkroom.prose) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    target  bigint := appeal_comment.comment_id;
    stands  darkroom.post_state;
    gone    boolean;
    of_post bigint;
    made    bigint;
begin
    if text is null then perform darkroom.missing('text'); end if;
    if darkroom.is_blank(text) then
        raise exception using errcode = 'check_violation', constraint = 'appeal_is_not_blank',
            message = 'the appeal is blank', hint = 'Give the author''s text.';
    end if;
    -- The post before the comment, as the erasure of the post locks them. Reviews lock the comment, too.
    perform from darkroom.posts p
    where p.post_id = (select c.post_id from darkroom.comments c where c.comment_id = target) for key share;
    select c.post_id, c.state, c.is_deleted into of_post, stands, gone from darkroom.comments c
    where c.comment_id = target and c.author = appeal_comment.author for no key update;
    if not found or gone then
        raise exception using errcode = 'no_data_found', message = format('this author has no comment %s', target);
    elsif stands not in ('held', 'hidden', 'removed') then
        raise exception using errcode = 'object_not_in_prerequisite_state',
            message = format('comment %s is %s: there is nothing to appeal against', target, stands);
    end if;
    insert into darkroom.appeals (post_id, comment_id, uploader, text) values (of_post, target, author, text)
    on conflict do nothing returning appeal_id into made;
    if not found then
        raise exception using errcode = 'unique_violation', constraint = 'one_open_appeal',
            message = format('comment %s already has an open appeal', target), hint = 'Wait for the decision on it.';
    end if;
    perform darkroom.list_for_review(of_post, 'appeal', appeal => made, of_comment => target);
    return made;
end $$;
comment on function darkroom.appeal_comment is
    'Puts a held, hidden or removed comment back into the review list with its author''s text (1 to 5,000 characters), and returns the '
    'appeal''s number. Errors: P0002 if this author has no such comment, 55000 if there is nothing to appeal against, 23505 '
    '(one_open_appeal) if an appeal is open already, 23502 for a missing text, 23514 for a text out of range.';
