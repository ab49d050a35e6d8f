create or replace function darkroom.prune_comments(at_most integer default 1000) returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    gone bigint[] := array(
        select c.comment_id from darkroom.comments c
        where c.deleted_at < now() - make_interval(days => (select history_days from darkroom.settings))
        order by c.deleted_at, c.comment_id limit at_most for update skip locked);
begin
    delete from darkroom.comments where comment_id = any (gone);
    delete from darkroom.comment_votes where comment_id = any (gone);
    delete from darkroom.comment_reports where comment_id = any (gone);
    return cardinality(gone);
end $$;
comment on function darkroom.prune_comments is
    'Erases up to at_most comments that were deleted more than settings.history_days ago, with the votes on them and their reports. Returns '
    'how many.';
