create or replace function darkroom.replaced_posts(post_id bigint) returns setof bigint
language sql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
    -- All that replace each other, in both directions: a post may have gone before it was shown, and several may replace one.
    with recursive versions (post_id) as (
        select replaced_posts.post_id
        union
        select n.post_id from versions v
        cross join lateral (
            select u.replaces from darkroom.posts p join darkroom.uploads u on u.upload_id = p.upload_id
            where p.post_id = v.post_id and u.replaces is not null
            union all
            select p.post_id from darkroom.uploads u join darkroom.posts p on p.upload_id = u.upload_id
            where u.replaces = v.post_id) n (post_id))
    select p.post_id from versions v
    join darkroom.posts p on p.post_id = v.post_id
    join darkroom.posts o on o.post_id = replaced_posts.post_id
    -- The last that was uploaded stays. A post that was removed also does: its uploader may appeal.
    where p.uploader = o.uploader and p.upload_id < o.upload_id and p.state <> 'removed'
$$;
comment on function darkroom.replaced_posts is
    'The posts that are deleted once readers see this one: those that its upload replaces, and other earlier ones that replace '
    'the same.';
