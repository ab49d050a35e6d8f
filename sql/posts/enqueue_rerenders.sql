create or replace function darkroom.enqueue_rerenders(
    checksum bigint, after_post bigint, at_most integer, since timestamptz, of_post bigint, again boolean,
    out last_post bigint, out queued integer, out gone integer)
language plpgsql set jit = off as $$
#variable_conflict use_variable
declare
    one record;
begin
    queued := 0;
    gone := 0;
    for one in
        select p.post_id, u.original_erased_at is not null as is_gone
        from darkroom.posts p join darkroom.uploads u using (upload_id)
        where p.post_id > after_post and p.state in ('published', 'held', 'hidden') and p.format is not null
          and (again or p.rendered_with is distinct from checksum)
          and (since is null or p.published_at >= since) and (of_post is null or p.post_id = of_post)
        order by p.post_id limit at_most
    loop
        last_post := one.post_id;
        if one.is_gone then
            gone := gone + 1;
            continue;
        end if;
        if again then
            update darkroom.posts p set rendered_with = null where p.post_id = one.post_id;
        end if;
        if darkroom.enqueue_once('rerender', one.post_id, 'rerender', one.post_id, 'default', 60) is not null then
            queued := queued + 1;
        end if;
    end loop;
end $$;
comment on function darkroom.enqueue_rerenders is
    'Queues the re-rendering of the next posts after one: those that a recipe other than checksum rendered or, with '
    'again, all. Posts without a photo are left out. Returns the last post looked at (null at the end), how many were queued, and how many have no '
    'original.';
