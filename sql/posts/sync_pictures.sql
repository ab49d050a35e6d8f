-- Publishing writes the pictures with the post; then there is nothing left to write here.
create or replace function darkroom.sync_pictures() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
begin
    perform from darkroom.posts p where p.post_id in (select c.post_id from changed c) order by p.post_id
    for no key update;
    update darkroom.posts p set pictures = n.pictures
    from (select distinct c.post_id from changed c) c
    cross join lateral (select darkroom.pictures_of(c.post_id) as pictures) n
    where p.post_id = c.post_id and p.pictures is distinct from n.pictures;
    return null;
end $$;
comment on function darkroom.sync_pictures is 'The trigger that copies renditions into the row of their post.';
