-- May be called by: api
-- Example:
--   select darkroom.report_post(
--       post_id => 1, reporter => 'user-9', reason => 'spam', details => 'The same advertisement again',
--       reporter_since => timestamptz '2025-09-01')
create or replace function darkroom.report_post(
    post_id        bigint,
    reporter       darkroom.person,
    reason         darkroom.choice,
    details        darkroom.remark default null,
    reporter_since darkroom.moment default null
) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    target bigint := report_post.post_id;
begin
    if target is null then perform darkroom.missing('post_id'); end if;
    if reporter is null then perform darkroom.missing('reporter'); end if;
    if not darkroom.is_visible(target) then
        raise exception using errcode = 'no_data_found', message = format('there is no post %s to report', target),
            hint = 'It may have been hidden, removed or expired since it was shown.';
    end if;
    return darkroom.file_report(target, 0, reporter, reason, details, reporter_since);
end $$;
comment on function darkroom.report_post is
    'Files one report per reporter and visible post; workers weigh it a second after it is committed, and list the post for review. '
    'reason is explicit, minors (explicit content that shows minors), violence, harassment, spam, private_information, '
    'illegal or other. details is at most 2,000 characters. reporter_since is when the reporter''s account was created, by '
    'default when it was first seen here: new accounts count less. Returns false if this reporter had already reported the '
    'post. Errors: P0002 if there is no such visible post, 22023 for an unknown or missing reason, or for a reporter_since before 1970, more '
    'than a day from now, or infinite, 23502 for a missing post or reporter, 23514 for a reporter (1 to 200 '
    'characters) or details out of range, 53400 (reports_a_day) if the reporter has filed settings.reports_a_day reports within 24 '
    'hours, those on comments included.';
