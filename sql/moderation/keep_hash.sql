create or replace function darkroom.keep_hash(of_post bigint) returns void
language sql as $$
    insert into darkroom.removed_hashes (post_id, hash)
    select p.post_id, p.perceptual_hash from darkroom.posts p
    where p.post_id = of_post and p.perceptual_hash is not null
    on conflict do nothing
$$;
comment on function darkroom.keep_hash is 'Has photos like the post''s held for review, from now on.';
