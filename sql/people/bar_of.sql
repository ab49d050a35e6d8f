-- May be called by: api, moderator
-- Example:
--   select ends_at, message from darkroom.bar_of('user-7')
create or replace function darkroom.bar_of(person darkroom.person)
returns table (ends_at timestamptz, reason text, message text)
language sql stable rows 1 security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
    select b.ends_at, b.reason, format(
               'You cannot post, comment, vote, report or change your name here%s: %s',
               to_char(b.ends_at at time zone 'UTC', '" until "FMDD FMMonth YYYY, HH24:MI" UTC"'), b.reason)
    from darkroom.current_bar(person) b where b.is_barred
$$;
comment on function darkroom.bar_of is
    'Why a person is barred and until when, null for good, with a sentence for that person. No row for somebody who is not barred.';
