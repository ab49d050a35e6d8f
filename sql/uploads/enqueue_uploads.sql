-- May be called by: api
create or replace function darkroom.enqueue_uploads(
    uploads  darkroom.new_upload[],
    queue    text default 'default',
    priority integer default 0,
    run_at   timestamptz default null
) returns bigint[]
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    return darkroom.add_uploads(uploads, queue, priority, run_at);
end $$;
comment on function darkroom.enqueue_uploads is
    'Queues photos for publishing, thousands in one statement, in the caller''s transaction, and answers their jobs'''
    ' numbers in the order given. The originals must already be in the media store. Each is as enqueue_upload''s '
    'arguments say; queue, priority (-100 to 100, lower runs first) and run_at hold for all. Errors: those of '
    'enqueue_upload; then nothing was queued.';
