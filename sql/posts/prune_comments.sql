create or replace function darkroom.prune_comments(at_most integer default 1000) returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    kept constant darkroom.settings := (select s from darkroom.settings s);
    gone bigint[] := array(
        select c.comment_id from darkroom.comments c
        where c.ended_at < now() - make_interval(days => least(kept.history_days, kept.removed_days, kept.undecided_days))
          and c.ended_at < now() - make_interval(days => case
                when not c.is_deleted then kept.removed_days
                when c.body = '-' then kept.history_days else kept.undecided_days end)
          and (c.is_deleted or not exists (select from darkroom.reviews r
                                           where r.post_id = c.post_id and r.comment_id = c.comment_id))
        order by c.ended_at, c.comment_id limit at_most for update skip locked);
begin
    -- A separate statement, so that it sees an appeal that was committed before the lock.
    gone := array(
        select c.comment_id from darkroom.comments c
        where c.comment_id = any (gone)
          and (c.is_deleted or not exists (select from darkroom.reviews r
                                           where r.post_id = c.post_id and r.comment_id = c.comment_id)));
    delete from darkroom.reviews r using darkroom.comments c
    where c.comment_id = any (gone) and (r.post_id, r.comment_id) = (c.post_id, c.comment_id);
    delete from darkroom.appeals a using darkroom.comments c
    where c.comment_id = any (gone) and (a.post_id, a.comment_id) = (c.post_id, c.comment_id);
    delete from darkroom.comments where comment_id = any (gone);
    -- In the order of an erasure.
    perform from darkroom.reports r where r.comment_id = any (gone) and r.comment_id > 0 order by r.post_id, r.comment_id, r.reporter for update;
    delete from darkroom.reports where comment_id = any (gone) and comment_id > 0;
    perform from darkroom.comment_votes v where v.comment_id = any (gone) order by v.comment_id, v.voter for update;
    delete from darkroom.comment_votes where comment_id = any (gone);
    return cardinality(gone);
end $$;
comment on function darkroom.prune_comments is
    'Erases up to at_most comments, with the votes on them and their reports: those that were deleted more than settings.history_days ago, or, '
    'if a person should have decided on a report, settings.undecided_days ago; and those that a review removed more than '
    'settings.removed_days ago. Returns how many.';
