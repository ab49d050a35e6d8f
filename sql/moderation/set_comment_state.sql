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
                     -- Nobody has been told of one that was held.
                     when old.state = 'held' then array['comment_restored', 'commented'] else array['comment_restored'] end) e;
end $$;
comment on function darkroom.set_comment_state is
    'Hides, removes or shows a comment, whose row the caller has locked: counts it, and writes the events.';
