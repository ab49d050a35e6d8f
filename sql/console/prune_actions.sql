-- Runs with the owner's rights, since workers may not change the record of what operators did.
create or replace function darkroom.prune_actions(at_most integer default 1000) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
declare
    removed integer;
begin
    delete from darkroom.operator_actions where action_id = any (array(
        select a.action_id from darkroom.operator_actions a
        where a.started_at < now() - make_interval(days => (select decision_days from darkroom.settings))
        order by a.started_at limit at_most for update skip locked));
    get diagnostics removed = row_count;
    return removed;
end $$;
comment on function darkroom.prune_actions is
    'Removes up to at_most actions of operators that are older than settings.decision_days. Returns how many.';
