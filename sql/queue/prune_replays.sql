create or replace function darkroom.prune_replays(at_most integer default 1000) returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    removed integer;
begin
    delete from darkroom.replays where replay_id = any (array(
        select r.replay_id from darkroom.replays r
        where r.replayed_at < now() - make_interval(days => (select history_days from darkroom.settings))
        order by r.replayed_at limit at_most for update skip locked));
    get diagnostics removed = row_count;
    return removed;
end $$;
comment on function darkroom.prune_replays is
    'Removes up to at_most replays that are older than settings.history_days. Returns how many.';
