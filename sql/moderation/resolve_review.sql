-- In the order of all who lock these rows: reports, removals, and at last people, in ascending order and in one statement.
-- Two reviews may judge each other's uploaders, so locking reporters first and the uploader then could deadlock.
--
-- If a post stays removed after an appeal, the second decision has judged reports too, and a later restoration must reverse
-- them as well. The post stays removed from the removal until then, so all judgements since rest on that removal.
create or replace function darkroom.resolve_review(
    of_post bigint, by_decision bigint, agrees boolean, undoing bigint default null, of_comment bigint default 0) returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    fresh    text[];
    undone   text[];
    judged   text[];
    whose    text;
begin
    -- The erasure of a reporter locks reports too.
    perform from darkroom.reports r where r.post_id = of_post and r.comment_id = of_comment order by r.reporter for no key update;
    with reversed as (
        update darkroom.reports set is_agreed = agrees, judged_by = by_decision
        where post_id = of_post and comment_id = of_comment and judged_by >= undoing and is_agreed <> agrees
        returning reporter)
    select coalesce(array_agg(reporter), '{}') into undone from reversed;
    with added as (
        update darkroom.reports set is_agreed = agrees, judged_by = by_decision
        where post_id = of_post and comment_id = of_comment and is_agreed is null
        returning reporter)
    select coalesce(array_agg(reporter), '{}') into fresh from added;
    judged := fresh || undone;

    if of_comment = 0 and agrees then
        perform darkroom.keep_hash(of_post);
        insert into darkroom.removals (post_id, uploader)
        select p.post_id, p.uploader from darkroom.posts p where p.post_id = of_post
        on conflict do nothing returning uploader into whose;
    elsif of_comment = 0 then
        delete from darkroom.removed_hashes h where h.post_id = of_post;
        delete from darkroom.removals r where r.post_id = of_post returning r.uploader into whose;
    end if;
    delete from darkroom.reviews r where r.post_id = of_post and r.comment_id = of_comment;
    if of_comment > 0 then perform darkroom.forget_comment_text(of_comment); end if;
    update darkroom.appeals a set decision_id = by_decision where a.post_id = of_post and a.comment_id = of_comment and a.decision_id is null;
    if found then
        insert into darkroom.outbox (post_id, event, comment_id) values (of_post, case of_comment when 0 then 'appeal_answered' else 'comment_appeal_answered' end, nullif(of_comment, 0));
    end if;
    -- Its uploader has deleted the post, and its erasure has waited for this decision.
    if of_comment = 0 and exists (select from darkroom.post_erasures e where e.post_id = of_post and e.erased_at is null) then
        perform darkroom.queue_erasure(of_post);
    end if;

    -- What these reporters had hidden elsewhere counts less now.
    if not agrees then
        insert into darkroom.moderation_backlog (post_id, comment_id)
        select distinct r.post_id, r.comment_id from darkroom.reports r join darkroom.reviews v using (post_id, comment_id)
        where r.reporter = any (judged) and r.is_agreed is null and v.cause = 'score' and v.appeal_id is null;
    end if;
    if agrees and whose is not null then
        insert into darkroom.people (person) values (whose) on conflict do nothing;
    end if;
    perform from darkroom.people p where p.person = any (judged || whose) order by p.person for no key update;
    update darkroom.people p
    set agreed = p.agreed + case when agrees and p.person = any (judged) then 1
                                 when not agrees and p.person = any (undone) then -1 else 0 end,
        disagreed = p.disagreed + case when not agrees and p.person = any (judged) then 1
                                       when agrees and p.person = any (undone) then -1 else 0 end,
        removals = p.removals + case when p.person is distinct from whose then 0 when agrees then 1 else -1 end
    where p.person = any (judged || whose);
    return cardinality(judged);
end $$;
comment on function darkroom.resolve_review is
    'Writes the consequences of a decision on a post, or on a comment below it, whose row the caller has locked: judges the reports that no review '
    'has judged, and reverses those that the decision undoing, or a later one, judged the other way; keeps the records '
    'of reporters and uploader; ends the review and its appeal; queues the weighing of what reporters who were wrong have '
    'hidden; and queues the erasure of a post that its uploader has '
    'deleted, or erases the text of a comment that was. Only the removals of posts are on their uploaders'' records. agrees says whether the post or comment is removed. Returns how many reports it judged.';
