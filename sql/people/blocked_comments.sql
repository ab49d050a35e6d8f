create or replace function darkroom.blocked_comments(viewer text, ids bigint[]) returns integer[]
language plpgsql stable as $$
#variable_conflict use_variable
declare
    handles constant text[] := darkroom.blocked_handles(viewer);
begin
    if handles is null then
        return null;
    end if;
    return array(
        select case when c.comments > 10 * cardinality(handles)
                    then (select count(*) from darkroom.comments o
                          where o.post_id = i.post_id and o.author_handle = any (handles) and o.deleted_at is null
                            and not (p.anonymous and o.author = p.uploader))
                    -- The index's other columns are compared here: of few comments, all are read at once.
                    else (select count(*) from darkroom.comments o
                          where o.post_id = i.post_id and o.author_handle || '' = any (handles) and o.deleted_at is null
                            and not (p.anonymous and o.author = p.uploader)) end
        from unnest(ids) with ordinality as i (post_id, number)
        left join darkroom.posts p on p.post_id = i.post_id
        left join darkroom.post_counters c on c.post_id = i.post_id
        order by i.number);
end $$;
comment on function darkroom.blocked_comments is
    'How many comments below posts with these numbers, in their order, are of authors whom a person has blocked. Null if there '
    'can be none. The planner settings are those of the lists.';
