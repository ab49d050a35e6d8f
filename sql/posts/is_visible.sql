-- A post whose time is over is not seen any more, be the expire job late or not: nor are its comments, and nobody votes.
create or replace function darkroom.is_visible(post_id bigint) returns boolean
language sql stable as $$
    select exists (select from darkroom.posts p
                   where p.post_id = is_visible.post_id and p.state = 'published'
                     and (p.expires_at is null or p.expires_at > now()))
$$;
comment on function darkroom.is_visible is 'Whether readers see a post.';
