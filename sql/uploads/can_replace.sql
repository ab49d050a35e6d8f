create or replace function darkroom.can_replace(post_id bigint, uploader text) returns boolean
language sql stable as $$
    select exists (select from darkroom.posts p
                   where p.post_id = can_replace.post_id and p.uploader = can_replace.uploader and p.state <> 'removed')
$$;
comment on function darkroom.can_replace is 'Whether the uploader has such a post, and has not deleted it.';
