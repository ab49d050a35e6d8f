create or replace function darkroom.hold_media(keys text[]) returns void
language plpgsql as $$
begin
    perform pg_advisory_xact_lock_shared(hashtextextended(k, 20260119))
    from (select distinct k from unnest(keys) k order by k) s;
end $$;
comment on function darkroom.hold_media is
    'Keeps files from being deleted until the transaction ends. Call it before you check that files exist and write a '
    'reference to them.';
