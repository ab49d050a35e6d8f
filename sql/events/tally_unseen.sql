-- Posts that come to be or cease to be seen, and comments, have the tally job run anyway.
create or replace function darkroom.tally_unseen() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    perform darkroom.request_tally();
    return null;
end $$;
comment on function darkroom.tally_unseen is 'Has events of posts that nobody sees numbered soon.';
