-- One mechanism for all ways in which a post becomes visible: publishing, an approval, a restoration.
create or replace function darkroom.replace_post() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    replaced bigint;
begin
    for replaced in
        -- A post that it replaces may itself replace one, which nobody has removed if that post was never shown.
        with recursive chain (post_id) as (
            select u.replaces from darkroom.uploads u where u.upload_id = new.upload_id and u.replaces is not null
            union
            select u.replaces from chain c
            join darkroom.posts p on p.post_id = c.post_id
            join darkroom.uploads u on u.upload_id = p.upload_id where u.replaces is not null)
        select p.post_id from darkroom.posts p
        where p.uploader = new.uploader and p.post_id <> new.post_id
          and (p.post_id in (select c.post_id from chain c)
               -- Of several that replace the same one, the last to be shown stays.
               or p.state = 'published' and p.upload_id in (
                   select u.upload_id from darkroom.uploads u join chain c on u.replaces = c.post_id))
        order by p.post_id
    loop
        perform darkroom.delete_post(replaced, new.uploader);
    end loop;
    return null;
end $$;
comment on function darkroom.replace_post is
    'Deletes the posts that an upload replaces once readers see the new one, for its uploader and in the same transaction.';
