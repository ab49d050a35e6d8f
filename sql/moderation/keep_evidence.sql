-- This and the erasure of a reporter wait for each other.
create or replace function darkroom.keep_evidence(of_decision bigint, of_post bigint, of_comment bigint default 0) returns void
language plpgsql set enable_seqscan = off as $$
begin
    perform from darkroom.reports r where r.post_id = of_post and r.comment_id = of_comment order by r.reporter for key share;
    insert into darkroom.moderation_evidence (
        decision_id, reporter, reason, reported_at, account_since, agreed, disagreed, record_weight, account_weight,
        reason_weight, group_number, counted, disregarded)
    select of_decision, r.reporter, r.reason, r.created_at, coalesce(r.reporter_since, r.created_at), r.reporter_agreed,
           r.reporter_disagreed, coalesce(r.record_weight, 0), coalesce(r.account_weight, 0), coalesce(r.reason_weight, 0),
           r.group_number, coalesce(r.counted, 0),
           case when r.counted is null then 'not_weighed' else r.disregarded end
    from darkroom.reports r where r.post_id = of_post and r.comment_id = of_comment;
end $$;
comment on function darkroom.keep_evidence is
    'Adds the reports on a post or a comment to a decision on it, with what each counted when they were last weighed.';
