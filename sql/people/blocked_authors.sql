-- May be called by: api
-- Example:
--   select author_handle, display_name, blocked_at from darkroom.blocked_authors('user-8')
create or replace function darkroom.blocked_authors(
    person darkroom.person, at_most bigint default 20, after darkroom.cursor default null)
returns table (author_handle text, display_name text, blocked_at timestamptz, cursor text)
language plpgsql stable rows 20 security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off
set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
    whom   text := $1;
    wanted integer := darkroom.page_size($2);
    before bigint := coalesce(darkroom.cursor_key('blocks', $3)::bigint, 9223372036854775807);
begin
    return query
    select b.author_handle, (select p.display_name from darkroom.people p where p.author_handle = b.author_handle), b.blocked_at,
           'blocks:' || b.block_id || '~0'
    from darkroom.blocks b where b.person = whom and b.block_id < before
    order by b.block_id desc limit wanted;
end $$;
comment on function darkroom.blocked_authors is
    'The authors whom a person has blocked, the latest first. display_name is null for an anonymous author, and for one without a '
    'name. at_most is 1 to 100 (values outside are clamped). after is the cursor of the last row of the previous page. Errors: 22023 '
    'for a cursor of another list.';
