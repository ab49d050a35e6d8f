-- May be called by: api, reader
-- Example:
--   select posts, likes, views from darkroom.uploader_statistics('user-2')
create or replace function darkroom.uploader_statistics(uploader darkroom.person)
returns table (posts bigint, likes bigint, dislikes bigint, share_of_likes double precision, comments bigint, views bigint)
language sql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off
set jit = off as $$
    select count(*), coalesce(sum(c.likes), 0)::bigint, coalesce(sum(c.dislikes), 0)::bigint,
           sum(c.likes)::float8 / nullif(sum(c.likes + c.dislikes), 0),
           coalesce(sum(c.comments), 0)::bigint, coalesce(sum(c.views), 0)::bigint
    from darkroom.feed f left join darkroom.post_counters c using (post_id)
    where f.author_handle = darkroom.handle_of(uploader_statistics.uploader) and f.expires_at > now()
$$;
comment on function darkroom.uploader_statistics is
    'The visible posts of one uploader, without anonymous ones: how many, and their votes, comments and views. share_of_likes is 0 to 1, null '
    'without votes.';
