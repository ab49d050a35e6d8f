-- May be called by: api
-- Example:
--   select darkroom.count_unread('user-17')
create or replace function darkroom.count_unread(person darkroom.person) returns integer
language sql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
    select count(*)::integer from (
        select from darkroom.inbox_entries e
        where e.person = count_unread.person
          and e.number > coalesce((select i.read_up_to from darkroom.inboxes i where i.person = count_unread.person), 0)
        limit 1000) unread
$$;
comment on function darkroom.count_unread is
    'How many entries of a person''s inbox are unread; 1,000 stands for that many or more.';
