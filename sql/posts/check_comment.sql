-- May be called by: api
-- Example:
--   select argument, reason, message from darkroom.check_comment(post_id => 1, author => 'user-9', body => ' ')
-- The arguments have plain types: their domains would refuse the call, and this function tells what they refuse.
create or replace function darkroom.check_comment(post_id bigint, author text, body text)
returns table (argument text, reason text, message text, retry_after_s integer)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
begin
    begin
        perform coalesce(body, '')::darkroom.remark;
        if darkroom.is_blank(coalesce(body, '')) then
            return query select 'body', 'comment_is_not_blank', darkroom.rule_message('comment_is_not_blank'), null::integer;
        end if;
    exception when check_violation then
        get stacked diagnostics reason = constraint_name;
        return query select 'body', reason, darkroom.rule_message(reason), null::integer;
    end;
    if not coalesce(darkroom.is_visible(post_id), false) then
        return query select 'post_id', 'no_such_post', 'The post is not there any more.', null::integer;
    end if;
    begin
        return query
        select 'author', 'person_is_barred', b.message, darkroom.seconds_until(b.ends_at)
        from darkroom.bar_of(coalesce(author, '')) b;
    exception when check_violation then
        get stacked diagnostics reason = constraint_name;
        return query select 'author', reason, darkroom.rule_message(reason), null::integer;
    end;
end $$;
comment on function darkroom.check_comment is
    'Says what add_comment would refuse, before the comment is sent: a row for each objection, and none if there is none. argument is the '
    'name of the argument, reason a code, mostly the name of the constraint, and message a sentence for the author. If the person '
    'is barred for a while, retry_after_s is the number of seconds until they can go on; otherwise it is null.';
