create or replace function darkroom.set_comment_state(of_comment bigint, outcome darkroom.post_state) returns void
language plpgsql set enable_seqscan = off as $$
declare
    old darkroom.comments;
begin
    select * into old from darkroom.comments c where c.comment_id = of_comment;
    if old.state = outcome then
        return;
    end if;
    update darkroom.comments c set state = outcome, ended_at = case when outcome = 'removed' then now() end
    where c.comment_id = of_comment;
    insert into darkroom.counter_changes (post_id, comments)
    select old.post_id, n from (values ((outcome = 'published')::integer - (old.state = 'published')::integer)) d (n) where n <> 0;
    insert into darkroom.outbox (post_id, event, comment_id)
    select old.post_id, e, of_comment
    from unnest(case when outcome <> 'published' then array['comment_' || outcome]
                     -- It was held until now, and this decision is the first that shows it: nobody has been told of it.
                     when (select bool_or(d.decision = 'hold') and count(*) filter (where d.to_state = 'published') = 1
                           from darkroom.moderation_decisions d where d.post_id = old.post_id and d.comment_id = of_comment)
                     then array['comment_restored', 'commented'] else array['comment_restored'] end) e;
end $$;
comment on function darkroom.set_comment_state is
    'Hides, removes or shows a comment, whose row the caller has locked: counts it, and writes the events.';
