-- One mechanism for all ways in which a post becomes visible: publishing, an approval, a restoration.
create or replace function darkroom.replace_post() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    replaced bigint := (
        select p.post_id from darkroom.uploads u join darkroom.posts p on p.post_id = u.replaces
        where u.upload_id = new.upload_id and p.uploader = new.uploader and p.state <> 'removed');
begin
    if replaced is not null then
        perform darkroom.delete_post(replaced, new.uploader);
    end if;
    return null;
end $$;
comment on function darkroom.replace_post is
    'Deletes the post that an upload replaces once readers see the new one, for its uploader and in the same transaction.';
