-- Gives way to an app's open transaction rather than wait for it: the job comes back.
create or replace function darkroom.erase_post_rows(of_post bigint, for_erasure bigint default null) returns boolean
language plpgsql set enable_seqscan = off set jit = off set lock_timeout = '2s' as $$
declare
    source bigint;
    stands darkroom.post_state;
    whose  text;
begin
    select p.upload_id, p.state, p.uploader into source, stands, whose
    from darkroom.posts p where p.post_id = of_post for update;
    if not found then
        return false;
    end if;
    -- Tallies lock this row before the comments and counters.
    perform from darkroom.feed f where f.post_id = of_post for update;
    -- Before what is retired of it, as retire_originals locks it.
    perform from darkroom.uploads u where u.upload_id = source for update;
    insert into darkroom.post_erasures (post_id, upload_id, cause)
    values (of_post, source, case when for_erasure is null then 'uploader' else 'person' end)
    on conflict (post_id) do update set cause = excluded.cause where excluded.cause = 'person';
    perform darkroom.retire_media(
        array(select r.media_key from darkroom.renditions r where r.post_id = of_post)
        || array(select u.original_key from darkroom.uploads u
                 where u.upload_id = source
                   and (u.original_erased_at is null
                        or exists (select from darkroom.retired_media m where m.media_key = u.original_key)))
        || array(select m.media_key from darkroom.retired_media m where m.post_id = of_post)
        -- What attempts left before the post had a number.
        || array(select m.media_key from darkroom.retired_media m
                 where m.uploader = whose and m.post_id is null and starts_with(m.media_key, 'renditions/')),
        now(), of_post, whose);
    perform darkroom.erase_leftovers(of_post);
    if for_erasure is not null then
        -- A removal stays on its uploader's record, and the photo's hash is kept, until the person is erased.
        delete from darkroom.removals where post_id = of_post;
        delete from darkroom.removed_hashes where post_id = of_post;
        update darkroom.moderation_decisions set note = null where post_id = of_post and comment_id = 0 and note is not null;
    end if;
    if stands in ('published', 'hidden', 'held', 'expired') and for_erasure is not null then
        insert into darkroom.outbox (post_id, event) values (of_post, 'removed');
    end if;
    delete from darkroom.inbox_entries where person = whose and subject_id = of_post and event <> 'rejected';
    delete from darkroom.reviews where post_id = of_post;
    delete from darkroom.posts where post_id = of_post;
    delete from darkroom.uploads where upload_id = source;
    update darkroom.post_erasures set erased_at = clock_timestamp() where post_id = of_post;
    return true;
end $$;
comment on function darkroom.erase_post_rows is
    'Erases a post and its upload with everything that belongs to them, and retires its files. Returns false if there '
    'is no such post any more.';
