-- May be called by: api
-- Example:
--   select number, event, post_id, times, is_read from darkroom.inbox('user-17', at_most => 20)
create or replace function darkroom.inbox(person darkroom.person, at_most bigint default 20, after darkroom.cursor default null)
returns table (number bigint, event text, post_id bigint, job_id bigint, comment_id bigint, times integer, reason text,
               occurred_at timestamptz, is_read boolean, cursor text)
language plpgsql stable rows 20 security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off
set enable_sort = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
    whom   text := $1;
    wanted integer := darkroom.page_size($2);
    before bigint := coalesce(darkroom.cursor_key('inbox', $3)::bigint, 9223372036854775807);
begin
    return query
    select e.number, e.event, case when e.event <> 'rejected' then e.subject_id end,
           case when e.event = 'rejected' then e.subject_id end, e.comment_ids[cardinality(e.comment_ids)], e.times, e.reason, e.occurred_at,
           darkroom.is_read(whom, e.number),
           'inbox:' || e.number || '~' || e.subject_id
    from darkroom.inbox_entries e where e.person = whom and e.number < before
    order by e.person, e.number desc limit wanted;
end $$;
comment on function darkroom.inbox is
    'What has happened to a person''s posts, comments and uploads because of others, latest first: one entry for each post and event, '
    'with the number of the latest event in it. times is how many likes or comments by others came since the person read '
    'the entry, comment_id the latest comment that is there (of comment_held and so on, the person''s own), reason the code of a rejection. at_most is 1 to 100 (values outside are '
    'clamped). after is the cursor of the last row of the previous page; an entry to which something is added meanwhile '
    'moves to the first page. Errors: 22023 for a cursor of another list.';
