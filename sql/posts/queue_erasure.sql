create or replace function darkroom.queue_erasure(of_post bigint) returns void
language sql as $$
    select darkroom.enqueue_once('erase_post', of_post, 'erasure', of_post, 'default', -5)
$$;
comment on function darkroom.queue_erasure is 'Queues the job that erases a post.';
