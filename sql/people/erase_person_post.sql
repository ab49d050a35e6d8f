create or replace function darkroom.erase_person_post(of_erasure bigint) returns boolean
language plpgsql set enable_seqscan = off set jit = off set lock_timeout = '2s' as $$
declare
    whom text := darkroom.erased_person(of_erasure);
    one  bigint;
begin
    select p.post_id into one from darkroom.posts p where p.uploader = whom order by p.post_id desc limit 1;
    if not found then
        return false;
    end if;
    -- An anonymous author has other handles than the person.
    delete from darkroom.blocks b using darkroom.posts p
    where p.post_id = one and p.anonymous and b.author_handle = p.author_handle;
    if darkroom.erase_post_rows(one, of_erasure) then
        update darkroom.person_erasures set posts = posts + 1, uploads = uploads + 1 where erasure_id = of_erasure;
    else
        -- The post's own erasure has just ended. What it left is erased with the person.
        update darkroom.post_erasures set cause = 'person' where post_id = one;
        update darkroom.moderation_decisions set note = null where post_id = one and comment_id = 0 and note is not null;
    end if;
    return true;
end $$;
comment on function darkroom.erase_person_post is 'Erases one post of a person. Returns false if none was left.';
