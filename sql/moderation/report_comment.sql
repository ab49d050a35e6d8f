-- May be called by: api
-- Example:
--   select darkroom.report_comment(comment_id => 1, reporter => 'user-9', reason => 'harassment')
create or replace function darkroom.report_comment(
    comment_id bigint, reporter darkroom.person, reason darkroom.choice, details darkroom.remark default null
) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    target  bigint := comment_id;
    of_post bigint;
begin
    if comment_id is null then perform darkroom.missing('comment_id'); end if;
    if reporter is null then perform darkroom.missing('reporter'); end if;
    reason := darkroom.checked_choice('reason', reason, enum_range(null::darkroom.report_reason)::text[]);
    select c.post_id into of_post from darkroom.comments c where c.comment_id = target and c.deleted_at is null
    for key share;
    if not found or not darkroom.is_visible(of_post) then
        raise exception using errcode = 'no_data_found', message = 'there is no such comment to report';
    end if;
    insert into darkroom.comment_reports (comment_id, reporter, reason, details)
    values (target, reporter, reason::darkroom.report_reason, details) on conflict do nothing;
    if not found then
        return false;
    end if;
    perform darkroom.refuse_further_reports(reporter);
    return true;
end $$;
comment on function darkroom.report_comment is
    'Files one report per reporter and comment of a visible post; moderators find them in darkroom.reported_comments. reason '
    'is one of those of report_post; details is at most 2,000 characters. Returns false if this reporter had already reported '
    'the comment. Errors: P0002 if there is no such comment, 22023 for an unknown or missing reason, 23502 for a missing '
    'reporter, 23514 for a reporter (1 to 200 characters) or details out of range, 53400 as for report_post.';
