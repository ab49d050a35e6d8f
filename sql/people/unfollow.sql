-- May be called by: api
-- Example:
--   select darkroom.unfollow(follow_id => 1, person => 'user-8')
create or replace function darkroom.unfollow(follow_id bigint, person darkroom.person) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
begin
    delete from darkroom.follows f where f.follow_id = follow_id and f.person = person;
    return found;
end $$;
comment on function darkroom.unfollow is 'Ends a follow of the person. False if the person has none of this number.';
