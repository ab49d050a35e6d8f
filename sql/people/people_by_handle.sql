-- May be called by: api, reader
-- Example:
--   select author_handle, display_name from darkroom.people_by_handle(
--       (select array_agg(author_handle) from darkroom.latest_posts(100)))
create or replace function darkroom.people_by_handle(author_handles text[], viewer darkroom.person default null)
returns table (author_handle text, display_name text, is_blocked boolean)
language plpgsql stable rows 20 security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off
set jit = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
    blocked constant text[] := array(select darkroom.blocked_handles(viewer));
begin
    if cardinality($1) > 100 or array_ndims($1) > 1 then
        raise exception using errcode = 'invalid_parameter_value', message = 'these are more than 100 handles, or no list of them',
            hint = 'Give at most 100 handles, and call again for the others.';
    end if;
    return query
    select p.author_handle, p.display_name, coalesce(p.author_handle = any (blocked), false)
    from unnest($1) with ordinality as h (handle, number) join darkroom.people p on p.author_handle = h.handle
    order by h.number;
end $$;
comment on function darkroom.people_by_handle is
    'The names of the people whom readers know by these handles, at most 100, in the order of the handles; display_name is null for '
    'somebody without one. is_blocked is whether the viewer has blocked them. No row for the handle of an anonymous author, or of nobody. '
    'Errors: 22023 for more than 100 handles.';
