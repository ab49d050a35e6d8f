create or replace function darkroom.known_originals(at_most integer)
returns table (upload_id bigint, original_key text, original_sha256 text, original_bytes bigint)
language sql volatile set enable_seqscan = off as $$
    with span as (select min(p.post_id) as first, max(p.post_id) as last from darkroom.posts p),
    posts as (
        (select p.upload_id from darkroom.posts p order by p.post_id desc limit 200)
        union
        select n.upload_id
        from (select s.first + floor(random() * (s.last - s.first + 1))::bigint as number
              from span s, generate_series(1, 100)) r
        cross join lateral (
            select p.upload_id from darkroom.posts p where p.post_id >= r.number order by p.post_id limit 1) n)
    select u.upload_id, u.original_key, encode(u.original_sha256, 'hex'), u.original_bytes
    from posts p join darkroom.uploads u on u.upload_id = p.upload_id
    where u.original_erased_at is null and u.original_key is not null
    -- Large ones take long to read.
    order by u.original_bytes > 5000000, random() limit at_most
$$;
comment on function darkroom.known_originals is
    'Some originals that workers have read and found right, of the newest posts and of posts of any age, by chance.';
