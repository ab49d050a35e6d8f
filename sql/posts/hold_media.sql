create or replace function darkroom.hold_media(keys text[]) returns void
language plpgsql as $$
begin
    perform from darkroom.locks l
    where l.name = 'media' and l.number in (select darkroom.lock_number(k) from unnest(keys) k)
    order by l.number for key share;
end $$;
comment on function darkroom.hold_media is
    'Keeps files from being deleted until the transaction ends. Call it before you check that files exist and write a '
    'reference to them.';
