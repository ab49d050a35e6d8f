create or replace function darkroom.retire_media(
    keys text[], due timestamptz default now(), of_post bigint default null, for_erasure bigint default null)
returns void
language sql as $$
    insert into darkroom.retired_media as r (media_key, due_at, post_id, erasure_id)
    select distinct k, due, of_post, for_erasure from unnest(keys) k where k is not null order by k
    on conflict (media_key) do update
    set due_at = least(r.due_at, excluded.due_at), post_id = coalesce(excluded.post_id, r.post_id),
        erasure_id = coalesce(excluded.erasure_id, r.erasure_id)
$$;
comment on function darkroom.retire_media is 'Marks files for deletion once nothing refers to them, not before due.';
