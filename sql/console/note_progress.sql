-- Runs with the owner's rights, since operators may not change what the record says.
create or replace function darkroom.note_progress(
    of_action bigint, done bigint, is_over boolean default false, fault text default null) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
    update darkroom.operator_actions a
    set done = note_progress.done, progressed_at = clock_timestamp(), fault = note_progress.fault,
        ended_at = case when is_over then clock_timestamp() end
    where a.action_id = of_action and a.ended_at is null
$$;
comment on function darkroom.note_progress is
    'Records how far an action of an operator is, and whether it is over. An action that is over no longer changes.';
