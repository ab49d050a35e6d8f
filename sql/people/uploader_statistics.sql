-- May be called by: api, reader
-- Example:
--   select posts, likes, views from darkroom.uploader_statistics('user-2')
create or replace function darkroom.uploader_statistics(uploader darkroom.person, with_anonymous boolean default false)
returns table (posts bigint, likes bigint, dislikes bigint, share_of_likes double precision, comments bigint, views bigint)
language sql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off
set jit = off as $$
    select count(*), coalesce(sum(c.likes), 0)::bigint, coalesce(sum(c.dislikes), 0)::bigint,
           sum(c.likes)::float8 / nullif(sum(c.likes + c.dislikes), 0),
           coalesce(sum(c.comments), 0)::bigint, coalesce(sum(c.views), 0)::bigint
    from (select o.post_id from darkroom.feed o
          where o.author_handle = darkroom.handle_of(uploader_statistics.uploader) and o.expires_at > now()
          union all
          -- Who asks about others must not learn that they have any.
          select p.post_id from darkroom.posts p
          where with_anonymous and (select darkroom.votes_for_people()) and p.uploader = uploader_statistics.uploader
            and p.anonymous and p.state = 'published' and (p.expires_at is null or p.expires_at > now())) f
    left join darkroom.post_counters c using (post_id)
$$;
comment on function darkroom.uploader_statistics is
    'The visible posts of one uploader: how many, and their votes, comments and views. share_of_likes is 0 to 1, null '
    'without votes. with_anonymous adds anonymous posts, for the uploader alone; the role reader, which acts for nobody, gets none of them.';
