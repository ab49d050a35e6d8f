create or replace function darkroom.forget_reports() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    delete from darkroom.reports r using gone where r.post_id = gone.post_id;
    return null;
end $$;
comment on function darkroom.forget_reports is 'The trigger that deletes the reports of deleted posts.';
