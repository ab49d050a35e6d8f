-- May be called by: moderator
-- Example:
--   select decided_at, decider, reason, ends_at from darkroom.bars_of('user-7')
create or replace function darkroom.bars_of(person darkroom.person)
returns table (decided_at timestamptz, decider text, is_lifted boolean, reason text, ends_at timestamptz, note text)
language sql stable rows 5 security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
    select b.decided_at, b.decider, b.reason is null, b.reason, b.ends_at, b.note
    from darkroom.bars b where b.person = bars_of.person order by b.bar_id desc limit 100
$$;
comment on function darkroom.bars_of is
    'The latest 100 bars of a person and their ends, the last first: who decided, when and why. A row in which is_lifted is true ended '
    'the bar before it. They are kept for settings.record_days.';
