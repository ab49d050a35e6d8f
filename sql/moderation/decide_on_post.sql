-- May be called by: moderator
-- Example:
--   select state, decision_id from darkroom.decide_on_post(
--       post_id => 1, decision => 'remove', moderator => 'olga', note => 'An advertisement', terms => 'section 4')
create or replace function darkroom.decide_on_post(
    post_id bigint, decision text, moderator text, note text default null, law text default null,
    terms text default null, seen bigint default null)
returns table (decision_id bigint, state text, reports_judged integer, appeal_id bigint, is_erased boolean)
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    target  bigint := decide_on_post.post_id;
    touched bigint[];
    known   record;
    outcome darkroom.post_state;
    appears boolean;
    made    bigint;
begin
    perform darkroom.check_decision(decision, moderator, note, law, terms);
    -- A move of the activity's end locks this first too, and then the posts. See darkroom.set_expiry.
    perform darkroom.share_lock('activity', darkroom.lock_number(darkroom.name_key(p.activity)))
    from darkroom.posts p where p.post_id = target and p.activity is not null;
    -- Ascending, and the posts that this one replaces too: see darkroom.replace_post.
    touched := array(select target union select darkroom.replaced_posts(target));
    perform from darkroom.posts p where p.post_id = any (touched) order by p.post_id for no key update;
    perform from darkroom.feed f where f.post_id = any (touched) order by f.post_id for no key update;
    if not exists (select from darkroom.posts p where p.post_id = target) then
        raise exception using errcode = 'no_data_found', message = format('there is no post %s', target);
    end if;
    -- A separate statement, so that it sees what was committed while the first one waited for the lock.
    select * into known from darkroom.review_case(target);
    perform darkroom.refuse_unseen_decision(format('post %s', target), moderator, seen, known.latest, known.latest_decider, known.latest_at);
    outcome := darkroom.review_outcome(decision, known.state, known.is_appealed, known.is_over, known.is_listed,
                                       known.is_leaving, known.is_removed, known.is_undecided);
    if outcome is null then
        raise exception using errcode = 'object_not_in_prerequisite_state',
            constraint = case when known.is_leaving then 'post_stays' else 'decision_applies' end,
            message = case when known.is_leaving then format('post %s is being erased and cannot come back', target)
                           else format('post %s is %s: this decision does not apply', target, known.state) end,
            detail = known.state,
            hint = format('Possible now: %s.', coalesce(nullif(array_to_string(known.may_decide, ', '), ''), 'nothing'));
    elsif outcome = 'published' and known.state <> 'published' and known.is_located_too_exactly then
        raise exception using errcode = 'object_not_in_prerequisite_state', constraint = 'location_follows_the_policy',
            message = format('post %s would show its location more exactly than the policy in force allows', target),
            hint = 'Have an operator relocate it first.';
    end if;

    made := darkroom.add_decision(
        target, decision, case when known.is_appealed then 'appeal' else 'review' end, outcome,
        reports => (select count(*)::integer from darkroom.reports r where r.post_id = target and r.comment_id = 0),
        score => (select coalesce(sum(r.counted), 0) from darkroom.reports r where r.post_id = target and r.comment_id = 0),
        views => darkroom.audience(target), decider => moderator, note => note,
        ground => case when decision = 'remove' then case when law is null then 'terms' else 'law' end end,
        ground_reference => coalesce(law, terms), appeal => known.appeal_id);
    perform darkroom.keep_evidence(made, target);
    -- Feeds and ranks are locked before people. A post that is shown again, or for the first time, expires by the policy in
    -- force now, and when its activity ends now.
    appears := outcome <> 'removed' and known.is_new;
    if outcome <> known.state then
        update darkroom.posts p
        set state = outcome, published_at = case when appears then clock_timestamp() else p.published_at end,
            expires_at = case when outcome = 'removed' then p.expires_at
                              else darkroom.expiry_for(p.category, p.activity, case when appears then clock_timestamp()
                                                                                else p.published_at end) end
        where p.post_id = target;
        insert into darkroom.outbox (post_id, event)
        values (target, case when outcome in ('removed', 'expired') then outcome::text
                             when appears then 'published' else 'restored' end);
    end if;
    return query
        select made, outcome::text,
               darkroom.resolve_review(target, made, decision = 'remove', case when decision = 'restore' then known.removal end),
               known.appeal_id, known.is_undecided;
end $$;
comment on function darkroom.decide_on_post is
    'Decides on a post for a moderator (1 to 200 characters), and returns the decision''s number, the new state, how many '
    'reports it judged, the appeal it answered, and whether the post is erased now because its uploader has deleted it. '
    'decision is approve (a held or hidden post becomes visible, a reported one stays), remove or restore (a removed post). '
    'note (at most 5,000 characters) is for the record and the statement of reasons; law or terms name the provision or '
    'clause that a removed post breaks (at most 2,000). If another moderator has decided within five minutes, pass the '
    'decision that you have seen. Errors: P0002 if there is no such post, 22023 for an unknown decision, 23502 and 23514 for '
    'texts, 55006 (nobody_decided_meanwhile), 55000 with decision_applies, post_stays (it is being erased) or '
    'location_follows_the_policy.';
