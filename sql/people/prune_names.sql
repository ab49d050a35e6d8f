create or replace function darkroom.prune_names(at_most integer default 1000) returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    until timestamptz := (select case when s.unique_names then now() - make_interval(days => s.given_up_name_days) else 'infinity' end
                          from darkroom.settings s where s.is_only_row);
    gone  integer;
begin
    delete from darkroom.given_up_names where name_key = any (array(
        select g.name_key from darkroom.given_up_names g
        where g.given_up_at <= until order by g.given_up_at limit at_most for update skip locked));
    get diagnostics gone = row_count;
    return gone;
end $$;
comment on function darkroom.prune_names is
    'Removes up to at_most names that were given up more than settings.given_up_name_days ago, or any if settings.unique_names is false. '
    'Returns how many.';
