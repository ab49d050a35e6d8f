create or replace function darkroom.prune_bars(at_most integer default 1000) returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    gone integer;
begin
    delete from darkroom.bars b
    where b.bar_id = any (array(
        select o.bar_id from darkroom.bars o
        where o.decided_at < now() - make_interval(days => (select s.record_days from darkroom.settings s where s.is_only_row))
          and (coalesce(o.ends_at, 'infinity') <= now()
               or exists (select from darkroom.bars l where l.person = o.person and l.bar_id > o.bar_id))
        order by o.decided_at limit at_most for update skip locked));
    get diagnostics gone = row_count;
    return gone;
end $$;
comment on function darkroom.prune_bars is
    'Removes up to at_most bars that are no longer in force and older than settings.record_days. Returns how many.';
