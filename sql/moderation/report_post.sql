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
    known  darkroom.people;
begin
    if target is null or reporter is null or reason is null then
        raise exception using errcode = 'not_null_violation',
            message = format('a report needs a %s', case when target is null then 'post' when reporter is null then 'reporter'
                                                         else 'reason' end),
            hint = 'Give post_id, reporter and reason.';
    elsif reason <> all (enum_range(null::darkroom.report_reason)::text[]) then
        raise exception using errcode = 'invalid_parameter_value', message = 'this is no reason for a report',
            hint = format('Give one of %s.', array_to_string(enum_range(null::darkroom.report_reason), ', '));
    end if;
    if not darkroom.is_visible(target) then
        raise exception using errcode = 'no_data_found', message = format('there is no post %s to report', target),
            hint = 'It may have been hidden, removed or expired since it was shown.';
    end if;
    known := darkroom.note_person_seen(reporter, reporter_since);
    insert into darkroom.reports (
        post_id, reporter, reason, details, reporter_since, reporter_agreed, reporter_disagreed)
    values (target, reporter, reason::darkroom.report_reason, details, known.first_seen_at, known.agreed, known.disagreed)
    on conflict do nothing;
    if not found then
        return false;
    end if;
    perform darkroom.refuse_further_reports(reporter);
    insert into darkroom.moderation_backlog (post_id) values (target);
    return true;
end $$;
comment on function darkroom.report_post is
    'Files one report per reporter and visible post; workers weigh it a second after it is committed, and list the post for review. '
    'reason is explicit, minors (explicit content that shows minors), violence, harassment, spam, private_information, '
    'illegal or other. details is at most 2,000 characters. reporter_since is when the reporter''s account was created, by '
    'default when it was first seen here: new accounts count less. Returns false if this reporter had already reported the '
    'post. Errors: P0002 if there is no such visible post, 22023 for an unknown reason, or for a reporter_since before 1970, more '
    'than a day from now, or infinite, 23502 for a missing post, reporter or reason, 23514 for a reporter (1 to 200 '
    'characters) or details out of range, 53400 (reports_a_day) if the reporter has filed settings.reports_a_day reports within 24 '
    'hours, those on comments included.';
