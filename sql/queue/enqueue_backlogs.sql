-- What people do is only written down. Workers look here each second for what has been committed, so nobody waits for
-- anybody else's transaction, and nothing depends on how a transaction ends.
create or replace function darkroom.enqueue_backlogs() returns integer
language plpgsql set enable_seqscan = off set jit = off set lock_timeout = '1s' as $$
declare
    made integer := 0;
    one  record;
begin
    -- Another worker is doing this, and nobody sees yet what it queues.
    if not darkroom.try_lock('enqueue_backlogs') then
        return null;
    end if;
    if (exists (select from darkroom.counter_changes) or exists (select from darkroom.map_changes)
        or exists (select from darkroom.stack_changes) or exists (select from darkroom.outbox)
        or exists (select from darkroom.untold_likes where due_at <= now())
        or exists (select from darkroom.blocks where not is_applied)
        or exists (select from darkroom.activities where is_changed or moved_to is not null)
        or exists (select from darkroom.inbox_progress p where p.number < pg_sequence_last_value('darkroom.event_numbers')))
       -- A tally that runs takes what there is by then; two would wait for each other.
       and not exists (select from darkroom.jobs j
                       where j.lane = any (darkroom.lanes_of(null, 'tally')) and j.fair_hash = hashtextextended('tally', 0))
    then
        made := (darkroom.enqueue_once('tally', 0, 'tally', 0, 'default', -20) is not null)::integer;
    end if;
    for one in
        with taken as (
            delete from darkroom.moderation_backlog where change_id in (
                select change_id from darkroom.moderation_backlog order by change_id limit 1000 for update skip locked)
            returning post_id, comment_id)
        select distinct t.post_id, t.comment_id from taken t order by t.post_id, t.comment_id
    loop
        made := made + (case one.comment_id
                            when 0 then darkroom.enqueue_once('moderate', one.post_id, 'moderation', one.post_id, 'default', -10)
                            else darkroom.enqueue_once('moderate_comment', one.comment_id, 'moderation', one.comment_id, 'default', -10)
                        end is not null)::integer;
    end loop;
    return made;
end $$;
comment on function darkroom.enqueue_backlogs is
    'Queues the jobs that count votes, number events, fill inboxes and weigh reports, as far as there are any that no job counts or '
    'weighs yet. Returns how many jobs it queued, or null while another one does. For workers, each second.';
