-- May be called by: api, reader
-- Example:
--   select post_id, body, likes, my_vote from darkroom.comment_details(1, viewer => 'user-9')
create or replace function darkroom.comment_details(comment_id bigint, viewer darkroom.person default null)
returns setof darkroom.feed_comment
language plpgsql stable rows 1 security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_variable
declare
    shown darkroom.feed_comment;
    late  record;
begin
    select * into shown from darkroom.show_comments(null, array[comment_id], viewer);
    if not coalesce(darkroom.is_visible(shown.post_id), false) then
        return;
    end if;
    select coalesce(sum(c.likes), 0) as likes, coalesce(sum(c.dislikes), 0) as dislikes into late
    from darkroom.counter_changes c where c.post_id = shown.post_id and c.comment_id = comment_details.comment_id;
    shown.likes := shown.likes + late.likes;
    shown.dislikes := shown.dislikes + late.dislikes;
    return next shown;
end $$;
comment on function darkroom.comment_details is
    'One comment of a visible post as post_comments has it, with up-to-date counters; cursor is null. No row if there is no '
    'such comment.';
