create or replace function darkroom.cursor_post(after text) returns bigint
language sql stable as $$
    select split_part(after, '~', 2)::bigint
$$;
comment on function darkroom.cursor_post is 'The post number that a cursor holds; it orders posts with equal keys.';
