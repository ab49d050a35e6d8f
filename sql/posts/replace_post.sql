-- One mechanism for all ways in which a post becomes visible: publishing, an approval, a restoration.
create or replace function darkroom.replace_post() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    replaced bigint;
begin
    -- Most posts replace none, and each one that is published comes here.
    if not exists (select from darkroom.uploads u where u.upload_id = new.upload_id and u.replaces is not null) then
        return null;
    end if;
    -- Two that replace the same one come here one after the other. The loop then sees what was committed while this waited.
    perform from darkroom.posts p where p.post_id in (select darkroom.replaced_posts(new.post_id))
    order by p.post_id for no key update;
    for replaced in select r from darkroom.replaced_posts(new.post_id) r order by r loop
        perform darkroom.delete_post(replaced, new.uploader);
    end loop;
    return null;
end $$;
comment on function darkroom.replace_post is
    'Deletes the posts that an upload replaces once readers see the new one, for its uploader and in the same transaction.';
