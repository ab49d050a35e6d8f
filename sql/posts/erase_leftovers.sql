create or replace function darkroom.erase_leftovers(of_post bigint) returns void
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    gone bigint[];
begin
    -- First: what comes between two statements here keeps its change, and the tally that takes it calls this again.
    delete from darkroom.counter_changes where post_id = of_post;
    gone := array(
        select c.comment_id from darkroom.comments c where c.post_id = of_post and c.state = 'published'
        union all
        select c.comment_id from darkroom.comments c where c.post_id = of_post and c.state <> 'published');
    -- Everyone who locks several comments does so in ascending order.
    perform from darkroom.comments c where c.comment_id = any (gone) order by c.comment_id for update;
    -- As for the erasure of a person, who may have reported several of them: reports before inboxes, in this order.
    perform from darkroom.reports r where r.post_id = of_post order by r.comment_id, r.reporter for update;
    delete from darkroom.reports where post_id = of_post;
    -- What the comments' authors were told. Before an uploader's come their removals.
    delete from darkroom.inbox_entries e using darkroom.comments c
    where c.comment_id = any (gone) and e.person = c.author and e.subject_id = of_post and e.event <> 'rejected'
      and not exists (select from darkroom.posts p where p.post_id = of_post and p.uploader = e.person);
    delete from darkroom.comments where comment_id = any (gone);
    perform from darkroom.comment_votes v where v.comment_id = any (gone) order by v.comment_id, v.voter for update;
    delete from darkroom.comment_votes where comment_id = any (gone);
    perform from darkroom.votes v where v.post_id = of_post order by v.voter for update;
    delete from darkroom.votes where post_id = of_post;
    delete from darkroom.untold_likes where post_id = of_post;
    delete from darkroom.post_counters where post_id = of_post;
end $$;
comment on function darkroom.erase_leftovers is
    'Deletes the votes, comments, reports and counters of a post. Called again after its erasure, for late ones.';
