create or replace function darkroom.prune_activities(at_most integer default 1000) returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    removed integer;
begin
    delete from darkroom.activities where activity = any (array(
        select a.activity from darkroom.activities a
        where a.ends_at < now() - make_interval(days => (select activity_days from darkroom.settings)) and not a.is_changed
          and a.moved_to is null and not darkroom.has_bound_names(a.activity)
        order by a.ends_at limit at_most for update skip locked));
    get diagnostics removed = row_count;
    return removed;
end $$;
comment on function darkroom.prune_activities is
    'Removes up to at_most activities that ended more than settings.activity_days ago. Those with aliases stay if '
    'a policy is for one of their names. Returns how many.';
