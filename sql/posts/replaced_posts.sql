create or replace function darkroom.replaced_posts(post_id bigint) returns setof bigint
language sql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
    with recursive chain (post_id) as (
        select u.replaces from darkroom.posts p join darkroom.uploads u on u.upload_id = p.upload_id
        where p.post_id = replaced_posts.post_id and u.replaces is not null
        union
        -- A post that it replaces may itself replace one, which nobody has removed if that post was never shown.
        select u.replaces from chain c
        join darkroom.posts p on p.post_id = c.post_id
        join darkroom.uploads u on u.upload_id = p.upload_id where u.replaces is not null),
    found as (
        select c.post_id from chain c
        union
        -- Of several that replace the same one, the last to be shown stays.
        select p.post_id from chain c
        join darkroom.uploads u on u.replaces = c.post_id
        join darkroom.posts p on p.upload_id = u.upload_id where p.state = 'published')
    select p.post_id from found f join darkroom.posts p on p.post_id = f.post_id
    where p.post_id <> replaced_posts.post_id
      and p.uploader = (select o.uploader from darkroom.posts o where o.post_id = replaced_posts.post_id)
$$;
comment on function darkroom.replaced_posts is
    'The posts that are deleted once readers see this one, because its upload replaces them.';
