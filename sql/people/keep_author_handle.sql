create or replace function darkroom.keep_author_handle() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
begin
    if tg_table_name = 'comments' then
        new.author_handle := darkroom.handle_of(new.author);
    elsif tg_table_name = 'people' then
        new.author_handle := darkroom.handle_of(new.person);
    elsif new.anonymous then
        new.author_handle := darkroom.handle_of(new.uploader, darkroom.anonymity_of(
            (select s.anonymous_within from darkroom.settings s where s.is_only_row), new.post_id,
            (select u.category from darkroom.uploads u where u.upload_id = new.upload_id), new.activity));
    else
        new.author_handle := darkroom.handle_of(new.uploader);
    end if;
    return new;
end $$;
comment on function darkroom.keep_author_handle is
    'The trigger that writes the handle that readers see into a post, a comment or what is known of a person.';
