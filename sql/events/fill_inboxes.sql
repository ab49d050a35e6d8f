-- The posts and uploads are locked as foreign keys would lock them, so that nothing is written for one that is being erased:
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

    -- Entries whose comments were deleted, or whose authors were blocked, are counted again, up to the last event.
    with changed as (
        select e.person, e.subject_id from darkroom.blocks b
        join darkroom.inbox_entries e on e.person = b.person and e.event = 'commented'
        where b.block_id = any (ended)
          and exists (select from darkroom.comments c where c.post_id = e.subject_id and c.author_handle = b.author_handle)
        union
        select p.uploader, o.post_id from darkroom.event_log o join darkroom.posts p using (post_id)
        where o.number > last and o.number <= upto and o.event = 'comment_deleted'),
    counted as (
        select e.person, e.subject_id, count(c.comment_id)::integer as times, max(c.comment_id) as comment_id
        from changed h
        join darkroom.inbox_entries e on e.person = h.person and e.subject_id = h.subject_id and e.event = 'commented'
        left join darkroom.comments c
          on c.post_id = e.subject_id and c.comment_id >= e.first_comment_id and c.deleted_at is null and c.author <> e.person
             and not exists (select from darkroom.blocks b where b.person = e.person and b.author_handle = c.author_handle)
             -- What no run has taken yet.
             and c.comment_id not in (
                 select o.comment_id from darkroom.outbox o where o.event = 'commented' and o.comment_id is not null
                 union all
                 select o.comment_id from darkroom.event_log o
                 where o.number > last and o.event = 'commented' and o.comment_id is not null)
        group by e.person, e.subject_id)
    update darkroom.inbox_entries e set times = c.times, comment_id = c.comment_id
    from counted c where e.person = c.person and e.subject_id = c.subject_id and e.event = 'commented';

    with news as (
        select p.uploader as person, o.post_id as subject_id, o.event, o.number, o.comment_id, o.reason, o.occurred_at,
               coalesce(o.likes, 1) as times
        from darkroom.event_log o
        join darkroom.posts p using (post_id)
        left join darkroom.comments c using (comment_id)
        where o.number > last and o.number <= upto
          -- What a person does needs no telling.
          and (o.event <> 'removed'
               or not exists (select from darkroom.post_erasures e where e.post_id = o.post_id and e.cause = 'uploader'))
          and (o.event <> 'commented'
               or c.author is distinct from p.uploader
                  and not exists (select from darkroom.blocks b where b.person = p.uploader and b.author_handle = c.author_handle)
                  and not exists (select from darkroom.event_log d
                                  where d.number > last and d.number <= upto and d.event = 'comment_deleted'
                                    and d.comment_id = o.comment_id))
        union all
        select u.uploader, o.job_id, o.event, o.number, null, o.reason, o.occurred_at, 1
        from darkroom.event_log o join darkroom.uploads u using (upload_id)
        where o.number > last and o.number <= upto and o.post_id is null)
    insert into darkroom.inbox_entries as e (
        person, subject_id, event, number, times, first_comment_id, comment_id, reason, occurred_at)
    select n.person, n.subject_id, n.event, max(n.number),
           case when n.event in ('liked', 'commented') then sum(n.times)::integer else 1 end, min(n.comment_id),
           max(n.comment_id), max(n.reason), max(n.occurred_at)
    from news n
    where n.event = any (darkroom.inbox_events(n.person))
    group by n.person, n.subject_id, n.event order by n.person, n.subject_id, n.event
    on conflict (person, subject_id, event) do update set
        number = excluded.number, comment_id = excluded.comment_id, reason = excluded.reason,
        occurred_at = greatest(e.occurred_at, excluded.occurred_at),
        times = case when e.event not in ('liked', 'commented') then 1
                     when darkroom.is_read(e.person, e.number) then excluded.times
                     else e.times + excluded.times end,
        first_comment_id = case when darkroom.is_read(e.person, e.number) then excluded.first_comment_id
                                else least(e.first_comment_id, excluded.first_comment_id) end;

    delete from darkroom.inbox_entries e using darkroom.event_log o, darkroom.posts p
    where o.number > last and o.number <= upto and o.event = 'comment_deleted' and p.post_id = o.post_id
      and e.person = p.uploader and e.subject_id = o.post_id and e.event = 'commented' and e.times <= 0;
    delete from darkroom.inbox_entries e using darkroom.blocks b
    where b.block_id = any (ended) and e.person = b.person and e.event = 'commented' and e.times <= 0;
    update darkroom.blocks b set is_applied = true where b.block_id = any (ended);
    update darkroom.inbox_progress set number = upto;
    return taken;
end $$;
comment on function darkroom.fill_inboxes is
    'Puts up to at_most events, in their order, into the inboxes of the people whose posts and uploads they are of, unless '
    'they did it themselves, or do not want to be told or to see its author. Returns how many events it took. For the tally job, so that '
    'nobody''s transaction waits for it.';
