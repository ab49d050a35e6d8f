-- May be called by: api
-- Example:
--   select darkroom.unblock_author('user-9', '000000000000000000000000')
create or replace function darkroom.unblock_author(person darkroom.person, author_handle darkroom.handle) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
begin
    delete from darkroom.blocks b where b.person = person and b.author_handle = author_handle;
    return found;
end $$;
comment on function darkroom.unblock_author is
    'Ends a block: the person sees again what the author has posted and written. False if there was none.';
