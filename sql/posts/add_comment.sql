-- May be called by: api
-- Example:
--   select darkroom.add_comment(post_id => 1, author => 'user-9', body => 'Which pier is it?')
create or replace function darkroom.add_comment(post_id bigint, author darkroom.person, body darkroom.remark) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    target  bigint := post_id;
    writer  text := author;
    content text := normalize(replace(body, E'\r\n', E'\n'), nfc);
    made    bigint;
    doubt   record;
begin
    if writer is null or body is null then
        perform darkroom.missing(case when writer is null then 'author' else 'body' end);
    elsif darkroom.is_blank(body) then
        raise exception using errcode = 'check_violation', constraint = 'comment_is_not_blank',
            message = 'the comment is blank', hint = 'Give 1 to 2,000 characters.';
    end if;
    if not darkroom.is_visible(target) then
        raise exception using errcode = 'no_data_found', message = format('there is no post %s to comment on', target),
            hint = 'It may have been hidden, removed or expired since it was shown.';
    end if;
    select s.* into doubt from darkroom.suspicion_of(writer, null) s;
    if doubt.cause is not null then
        -- Before the comment, as the erasure of the post locks them.
        perform from darkroom.posts p where p.post_id = target for key share;
        if not found then
            raise exception using errcode = 'no_data_found', message = format('there is no post %s to comment on', target);
        end if;
        insert into darkroom.comments as c (post_id, author, body, state) values (target, writer, content, 'held')
        returning c.comment_id into made;
        perform darkroom.add_decision(target, 'hold', doubt.cause, 'held', doubt.policy_version,
                                      uploader_removals => doubt.removals, of_comment => made);
        perform darkroom.list_for_review(target, doubt.cause, of_comment => made);
        insert into darkroom.outbox (post_id, event, comment_id) values (target, 'comment_held', made);
        return made;
    end if;
    insert into darkroom.comments as c (post_id, author, body) values (target, writer, content)
    returning c.comment_id into made;
    insert into darkroom.counter_changes (post_id, comments) values (target, 1);
    insert into darkroom.outbox (post_id, event, comment_id) values (target, 'commented', made);
    return made;
end $$;
comment on function darkroom.add_comment is
    'Writes a comment of 1 to 2,000 characters under a visible post and returns its number. It may have several lines '
    'but no control characters, and must not be blank; it is stored in Unicode''s normal form C (NFC). It is held until a '
    'person has looked where a post of the author would be. Errors: P0002 '
    'if there is no such visible post, 23514 for a text or author out of range.';
