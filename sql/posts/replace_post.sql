-- One mechanism for all ways in which a post becomes visible: publishing, an approval, a restoration.
create or replace function darkroom.replace_post() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    named    bigint := (select u.replaces from darkroom.uploads u where u.upload_id = new.upload_id);
    replaced bigint;
begin
    -- Most posts replace none, and each one that is published comes here.
    if named is null then
        return null;
    end if;
    for replaced in
        -- A post that it replaces may itself replace one, which nobody has removed if that post was never shown.
        with recursive chain (post_id) as (
            select named
            union
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
        where p.uploader = new.uploader and p.post_id <> new.post_id
        order by p.post_id
    loop
        perform darkroom.delete_post(replaced, new.uploader);
    end loop;
    return null;
end $$;
comment on function darkroom.replace_post is
    'Deletes the posts that an upload replaces once readers see the new one, for its uploader and in the same transaction.';
