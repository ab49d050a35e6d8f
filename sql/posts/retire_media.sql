create or replace function darkroom.retire_media(
    keys text[], due timestamptz default now(), of_post bigint default null, of_person text default null)
returns void
language sql as $$
    insert into darkroom.retired_media as r (media_key, due_at, post_id, uploader)
    select distinct k, due, of_post, of_person from unnest(keys) k where k is not null order by k
    on conflict (media_key) do update
    set due_at = least(r.due_at, excluded.due_at), post_id = coalesce(excluded.post_id, r.post_id),
        uploader = coalesce(excluded.uploader, r.uploader)
$$;
comment on function darkroom.retire_media is
    'Marks files of a post and its uploader for deletion once nothing refers to them, not before due.';
