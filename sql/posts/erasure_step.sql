-- A person who decides on a post holds its row until the decision commits, and that decision queues the erasure again. If
-- the job did not look at the row's lock, it could end in between, and nobody would erase the post.
create or replace function darkroom.erasure_step(of_post bigint) returns text
language plpgsql set enable_seqscan = off set jit = off as $$
begin
    perform from darkroom.posts p where p.post_id = of_post for share skip locked;
    if not found and exists (select from darkroom.posts p where p.post_id = of_post) then
        return 'wait';
    end if;
    if not exists (select from darkroom.post_erasures e where e.post_id = of_post and e.cause = 'uploader')
       or not darkroom.awaits_judgement(of_post)
    then
        return 'erase';
    end if;
    if exists (select from darkroom.reviews r where r.post_id = of_post and r.comment_id = 0) then
        return 'leave';
    end if;
    -- Its moderation is queued already, unless it has failed for good.
    insert into darkroom.moderation_backlog (post_id) values (of_post);
    return 'weigh';
end $$;
comment on function darkroom.erasure_step is
    'What the job that erases a post does now: erase; wait, because somebody holds the post; weigh: wait until reports '
    'on it are weighed; or leave it, because a review is open, whose end queues the job again.';
