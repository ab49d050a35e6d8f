create or replace function darkroom.erase_person_reactions(of_erasure bigint, at_most integer default 1000) returns integer
language plpgsql set enable_seqscan = off set jit = off set lock_timeout = '2s' as $$
declare
    whom      text := darkroom.erased_person(of_erasure);
    by_votes  integer;
    by_votes2 integer;
    written   integer;
    theirs    bigint[];
    voted     bigint[];
begin
    -- A second job of an order that has ended.
    if whom is null then
        return 0;
    end if;
    -- Erases comments before the votes on them, since voters lock them in the same order. Everyone who locks several
    -- comments or votes does so in ascending order.
    theirs := array(select o.comment_id from darkroom.comments o where o.author = whom order by o.comment_id limit at_most for update);
    perform from darkroom.reports r where r.comment_id = any (theirs) and r.comment_id > 0 order by r.post_id, r.comment_id, r.reporter for update;
    delete from darkroom.reports r where r.comment_id = any (theirs) and r.comment_id > 0;
    delete from darkroom.reviews r using darkroom.comments c
    where c.comment_id = any (theirs) and (r.post_id, r.comment_id) = (c.post_id, c.comment_id);
    delete from darkroom.appeals a using darkroom.comments c
    where c.comment_id = any (theirs) and (a.post_id, a.comment_id) = (c.post_id, c.comment_id);
    with gone as (
        delete from darkroom.comments c
        where c.comment_id = any (theirs) returning c.comment_id, c.post_id, c.state),
    counted as (
        insert into darkroom.counter_changes (post_id, comments)
        select post_id, -1 from gone where state = 'published'),
    told as (
        insert into darkroom.outbox (post_id, event, comment_id)
        select post_id, 'comment_deleted', comment_id from gone where state = 'published')
    select count(*) into written from gone;
    -- All at once, and before the votes on posts: as the erasure of a post, and of another person who has voted on these comments.
    voted := array(select o.comment_id from darkroom.comment_votes o where o.voter = whom order by o.comment_id limit at_most);
    perform from darkroom.comment_votes v
    where v.comment_id = any (theirs) or v.voter = whom and v.comment_id = any (voted)
    order by v.comment_id, v.voter for update;
    delete from darkroom.comment_votes v where v.comment_id = any (theirs);
    with gone as (
        delete from darkroom.comment_votes v where v.voter = whom and v.comment_id = any (voted)
        returning v.comment_id, v.vote),
    counted as (
        insert into darkroom.counter_changes (post_id, comment_id, likes, dislikes)
        select c.post_id, g.comment_id, -(g.vote = 'like')::int, -(g.vote = 'dislike')::int
        from gone g join darkroom.comments c using (comment_id) where g.vote is not null)
    select count(*) into by_votes2 from gone;
    with gone as (
        delete from darkroom.votes v
        where v.voter = whom and v.post_id = any (array(
            select o.post_id from darkroom.votes o where o.voter = whom order by o.post_id limit at_most for update))
        returning v.post_id, v.vote),
    counted as (
        insert into darkroom.counter_changes (post_id, likes, dislikes, likes_by_others)
        select g.post_id, -(g.vote = 'like')::int, -(g.vote = 'dislike')::int,
               case when p.uploader is distinct from whom then -(g.vote = 'like')::int else 0 end
        from gone g left join darkroom.posts p using (post_id) where g.vote is not null)
    select count(*) into by_votes from gone;
    if by_votes + by_votes2 + written > 0 then
        update darkroom.person_erasures set votes = votes + by_votes + by_votes2, comments = comments + written
        where erasure_id = of_erasure;
    end if;
    return by_votes + by_votes2 + written;
end $$;
comment on function darkroom.erase_person_reactions is
    'Erases up to at_most each of a person''s votes and comments, and takes them out of the counters. Returns how many.';
