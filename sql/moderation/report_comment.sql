-- May be called by: api
-- Example:
--   select darkroom.report_comment(comment_id => 1, reporter => 'user-9', reason => 'harassment')
create or replace function darkroom.report_comment(
    comment_id bigint, reporter darkroom.person, reason darkroom.choice, details darkroom.remark default null,
    reporter_since darkroom.moment default null
) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    target  bigint := comment_id;
    of_post bigint;
begin
    if comment_id is null then perform darkroom.missing('comment_id'); end if;
    if reporter is null then perform darkroom.missing('reporter'); end if;
    select c.post_id into of_post from darkroom.comments c where c.comment_id = target and c.state = 'published'
    for key share;
    if not found or not darkroom.is_visible(of_post) then
        raise exception using errcode = 'no_data_found', message = 'there is no such comment to report';
    end if;
    return darkroom.file_report(of_post, target, reporter, reason, details, reporter_since);
end $$;
comment on function darkroom.report_comment is
    'Files one report per reporter and comment of a visible post. It is weighed as report_post says, with its reasons, arguments and '
    'errors. Returns false if this reporter had already reported the comment. Errors: P0002 if there is no such comment, the others as for '
    'report_post.';
