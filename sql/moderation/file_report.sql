create or replace function darkroom.file_report(
    of_post bigint, of_comment bigint, by_reporter text, for_reason text, details text, since timestamptz) returns boolean
language plpgsql set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    known darkroom.people;
begin
    perform darkroom.checked_choice('reason', for_reason, enum_range(null::darkroom.report_reason)::text[]);
    known := darkroom.note_person_seen(by_reporter, since);
    insert into darkroom.reports (
        post_id, comment_id, reporter, reason, details, reporter_since, reporter_agreed, reporter_disagreed)
    values (of_post, of_comment, by_reporter, for_reason::darkroom.report_reason, details, known.first_seen_at, known.agreed,
            known.disagreed)
    on conflict do nothing;
    if not found then
        return false;
    end if;
    perform darkroom.refuse_further_reports(by_reporter);
    insert into darkroom.moderation_backlog (post_id, comment_id) values (of_post, of_comment);
    return true;
end $$;
comment on function darkroom.file_report is
    'Files a report on a post, or on a comment below it, with what is known of the reporter now, and queues the weighing. Returns false if this '
    'reporter had already reported it. Errors: 22023 for an unknown or missing reason or a time out of range, 53400 (reports_a_day).';
