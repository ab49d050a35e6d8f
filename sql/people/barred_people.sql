-- May be called by: moderator
-- Example:
--   select person, reason, ends_at, decider from darkroom.barred_people()
create or replace function darkroom.barred_people(at_most bigint default 20, after darkroom.cursor default null)
returns table (person text, display_name text, reason text, ends_at timestamptz, decider text, decided_at timestamptz, note text,
               cursor text)
language plpgsql stable rows 20 security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off
set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
    wanted integer := darkroom.page_size($1);
    before bigint := coalesce(darkroom.cursor_key('bars', $2)::bigint, 9223372036854775807);
begin
    return query
    select b.person, (select p.display_name from darkroom.people p where p.person = b.person), b.reason, b.ends_at, b.decider,
           b.decided_at, b.note, 'bars:' || b.bar_id || '~0'
    from darkroom.bars b
    where b.bar_id < before and b.reason is not null and (b.ends_at is null or b.ends_at > now())
      and not exists (select from darkroom.bars l where l.person = b.person and l.bar_id > b.bar_id)
    order by b.bar_id desc limit wanted;
end $$;
comment on function darkroom.barred_people is
    'The people who are barred now, the latest first. at_most is 1 to 100 (values outside are clamped). after is the cursor of the '
    'last row of the previous page. Errors: 22023 for a cursor of another list.';
