-- May be called by: moderator
-- Example:
--   select state, decision_id from darkroom.decide_on_comment(
--       comment_id => 1, decision => 'remove', moderator => 'olga', note => 'An insult', terms => 'section 4')
create or replace function darkroom.decide_on_comment(
    comment_id bigint, decision text, moderator text, note text default null, law text default null,
    terms text default null, seen bigint default null)
returns table (decision_id bigint, state text, reports_judged integer, appeal_id bigint, is_erased boolean)
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    target  bigint := decide_on_comment.comment_id;
    known   record;
    outcome darkroom.post_state;
    made    bigint;
begin
    perform darkroom.check_decision(decision, moderator, note, law, terms);
    perform from darkroom.comments c where c.comment_id = target for no key update;
    if not found then
        raise exception using errcode = 'no_data_found', message = format('there is no comment %s', target);
    end if;
    -- A separate statement, so that it sees what was committed while the first one waited for the lock.
    select * into known from darkroom.comment_case(target);
    perform darkroom.refuse_unseen_decision(
        format('comment %s', target), moderator, seen, known.latest, known.latest_decider, known.latest_at);
    if decision <> all (known.may_decide) then
        raise exception using errcode = 'object_not_in_prerequisite_state',
            constraint = case when known.is_deleted then 'comment_stays' else 'decision_applies' end,
            message = case when known.is_deleted then format('comment %s was deleted and cannot come back', target)
                           else format('comment %s is %s: this decision does not apply', target, known.state) end,
            detail = known.state,
            hint = format('Possible now: %s.', coalesce(nullif(array_to_string(known.may_decide, ', '), ''), 'nothing'));
    end if;
    outcome := case when known.is_deleted or decision = 'remove' then 'removed' else 'published' end;
    made := darkroom.add_decision(
        known.post_id, decision, case when known.is_appealed then 'appeal' else 'review' end, outcome,
        reports => (select count(*)::integer from darkroom.reports r where r.post_id = known.post_id and r.comment_id = target),
        score => (select coalesce(sum(r.counted), 0) from darkroom.reports r
                  where r.post_id = known.post_id and r.comment_id = target),
        decider => moderator, note => note,
        ground => case when decision = 'remove' then case when law is null then 'terms' else 'law' end end,
        ground_reference => coalesce(law, terms), appeal => known.appeal_id, of_comment => target);
    perform darkroom.keep_evidence(made, known.post_id, target);
    perform darkroom.set_comment_state(target, outcome);
    return query
        select made, outcome::text,
               darkroom.resolve_review(known.post_id, made, decision = 'remove',
                                       case when decision = 'restore' then known.removal end, target),
               known.appeal_id, known.is_undecided;
end $$;
comment on function darkroom.decide_on_comment is
    'Decides on a comment for a moderator, as decide_on_post does on a post, and returns the same. is_erased: the comment had been deleted, '
    'and its text is erased now. Errors: P0002 if there is no such comment, 22023 for an unknown decision, 23502 and 23514 for texts, '
    '55006 (nobody_decided_meanwhile), 55000 with decision_applies or comment_stays (it was deleted).';
