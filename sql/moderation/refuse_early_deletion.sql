create or replace function darkroom.refuse_early_deletion() returns trigger
language plpgsql set enable_seqscan = off as $$
declare
    decided timestamptz;
    of_post bigint;
    below   bigint;
begin
    select d.decided_at, d.post_id, d.comment_id into decided, of_post, below
    from darkroom.moderation_decisions d where d.decision_id = old.decision_id;
    if decided < now() - make_interval(days => (select decision_days from darkroom.settings))
       and not exists (select from darkroom.reviews r where r.post_id = of_post and r.comment_id = below)
    then
        return old;
    end if;
    raise exception using errcode = 'restrict_violation', message = format('%s is append-only', tg_table_name),
        hint = 'Rows go when they are older than settings.decision_days and no review needs them.';
end $$;
comment on function darkroom.refuse_early_deletion is
    'The trigger of the moderation log that lets a row be deleted only when its time is over: see prune_decisions.';
