-- The posts, uploads and comments are locked as foreign keys would lock them, so that nothing is written for one that is being erased:
-- the erasure either finds the entry or has removed the row from which it would come.
create or replace function darkroom.fill_inboxes(at_most integer default 1000) returns integer
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set lock_timeout = '2s' as $$
declare
    last  bigint;
    upto  bigint;
    taken integer;
    ended bigint[];
begin
    -- A second run waits here, and sees what the first has done.
    select p.number into last from darkroom.inbox_progress p for update;
    ended := array(select b.block_id from darkroom.blocks b where not b.is_applied order by b.block_id limit at_most for update skip locked);
    select max(f.number), count(*) into upto, taken
    from (select o.number from darkroom.event_log o where o.number > last order by o.number limit at_most) f;
    if taken = 0 and ended = '{}' then
        return 0;
    end if;
    upto := coalesce(upto, last);
    perform from darkroom.posts p
    where p.post_id = any (array(select o.post_id from darkroom.event_log o where o.number > last and o.number <= upto))
    order by p.post_id for key share;
    perform from darkroom.uploads u
    where u.upload_id = any (array(select o.upload_id from darkroom.event_log o where o.number > last and o.number <= upto))
    order by u.upload_id for key share;
    perform from darkroom.comments c
    where c.comment_id = any (array(select o.comment_id from darkroom.event_log o where o.number > last and o.number <= upto))
    order by c.comment_id for key share;

    -- What entries tell of comments that were deleted, or whose authors were blocked.
    with changed as (
        select e.person, e.subject_id from darkroom.blocks b
        join darkroom.inbox_entries e on e.person = b.person and e.event = 'commented'
        where b.block_id = any (ended)
        union
        select p.uploader, o.post_id from darkroom.event_log o join darkroom.posts p using (post_id)
        where o.number > last and o.number <= upto and o.event in ('comment_deleted', 'comment_hidden', 'comment_removed')),
    lessened as (
        select e.person, e.subject_id, k.comment_ids, e.times - cardinality(e.comment_ids) + cardinality(k.comment_ids) as times
        from changed join darkroom.inbox_entries e using (person, subject_id)
        cross join lateral (
            select array(
                select c.comment_id from unnest(e.comment_ids) with ordinality as t (comment_id, number)
                join darkroom.comments c using (comment_id)
                where c.state = 'published'
                  and not exists (select from darkroom.blocks b where b.person = e.person and b.author_handle = c.author_handle)
                order by t.number) as comment_ids) k
        where e.event = 'commented' and cardinality(k.comment_ids) < cardinality(e.comment_ids)),
    emptied as (
        delete from darkroom.inbox_entries e using lessened l
        where e.person = l.person and e.subject_id = l.subject_id and e.event = 'commented' and l.times <= 0)
    update darkroom.inbox_entries e set times = l.times, comment_ids = l.comment_ids
    from lessened l where e.person = l.person and e.subject_id = l.subject_id and e.event = 'commented' and l.times > 0;

    insert into darkroom.inbox_entries as e (person, subject_id, event, number, times, comment_ids, reason, occurred_at)
    select n.uploader, coalesce(n.post_id, n.job_id), n.event, max(n.number),
           case n.event when 'liked' then sum(n.likes) when 'commented' then count(*) else 1 end,
           coalesce(darkroom.latest_told(array_agg(n.comment_id order by n.comment_id) filter (where n.comment_id is not null)), '{}'),
           max(n.reason), max(n.occurred_at)
    from darkroom.events_after(last, at_most) n
    where n.is_told and n.number <= upto
    group by 1, 2, 3 order by 1, 2, 3
    on conflict (person, subject_id, event) do update set
        number = excluded.number, reason = excluded.reason, occurred_at = greatest(e.occurred_at, excluded.occurred_at),
        times = case when e.event not in ('liked', 'commented') then 1
                     when darkroom.is_read(e.person, e.number) then excluded.times
                     else e.times + excluded.times end,
        comment_ids = case when darkroom.is_read(e.person, e.number) then excluded.comment_ids
                           else darkroom.latest_told(e.comment_ids || excluded.comment_ids) end;

    update darkroom.blocks b set is_applied = true where b.block_id = any (ended);
    update darkroom.inbox_progress set number = upto;
    return taken + cardinality(ended);
end $$;
comment on function darkroom.fill_inboxes is
    'Puts up to at_most events, in their order, into the inboxes of the people whose posts, comments and uploads they are of, as events_after '
    'says, and takes out what was deleted or blocked since. Returns how many events and blocks it took. For the tally job, so that '
    'nobody''s transaction waits for it.';
