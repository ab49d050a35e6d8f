-- An expired post is invisible at once, even if the expire job is late. So are its comments, and nobody can vote on it.
create or replace function darkroom.is_visible(post_id bigint) returns boolean
language sql stable as $$
    select exists (select from darkroom.posts p
                   where p.post_id = is_visible.post_id and p.state = 'published'
                     and (p.expires_at is null or p.expires_at > now()))
$$;
comment on function darkroom.is_visible is 'Whether readers see a post.';
