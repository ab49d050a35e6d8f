-- Comments, and posts that become visible or stop being visible, queue the tally job anyway.
create or replace function darkroom.tally_unseen() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    perform darkroom.request_tally();
    return null;
end $$;
comment on function darkroom.tally_unseen is 'The trigger that has the events of posts that nobody sees numbered soon.';
