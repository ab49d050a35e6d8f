create or replace function darkroom.keep_author_handle() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    select darkroom.author_handle(h.inner_pad, h.outer_pad, '', new.uploader) into new.author_handle from darkroom.handle_keys h;
    return new;
end $$;
comment on function darkroom.keep_author_handle is 'The trigger that keeps the handle of a post''s uploader with the post.';
