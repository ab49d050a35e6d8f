create or replace function darkroom.prune_decisions(at_most integer default 1000) returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    gone bigint[] := array(
        select d.decision_id from darkroom.moderation_decisions d
        where d.decided_at < now() - make_interval(days => (select decision_days from darkroom.settings))
          and not exists (select from darkroom.reviews r where r.post_id = d.post_id and r.comment_id = d.comment_id)
          and not exists (select from darkroom.appeals a where a.decision_id = d.decision_id)
        order by d.decided_at, d.decision_id limit at_most for update skip locked);
begin
    delete from darkroom.moderation_evidence where decision_id = any (gone);
    delete from darkroom.moderation_decisions where decision_id = any (gone);
    return cardinality(gone);
end $$;
comment on function darkroom.prune_decisions is
    'Removes up to at_most decisions that are older than settings.decision_days, with their evidence, unless the '
    'post or comment is in the review list or has an appeal that the decision decided. Returns how many.';
