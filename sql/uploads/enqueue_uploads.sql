-- May be called by: api
-- Example:
--   select darkroom.enqueue_uploads(array(
--       select jsonb_populate_record(null::darkroom.new_upload, u)
--       from jsonb_array_elements('[
--           {"uploader": "user-17", "original_key": "originals/a", "original_bytes": 48213,
--            "original_sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"},
--           {"uploader": "user-18", "original_key": "originals/b", "original_bytes": 51200,
--            "original_sha256": "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"}]') u),
--       queue => 'default', priority => 10)
create or replace function darkroom.enqueue_uploads(
    uploads  darkroom.new_upload[],
    queue    darkroom.queue_name default 'default',
    priority integer default 0,
    run_at   darkroom.moment default null
) returns bigint[]
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    return darkroom.add_uploads(uploads, queue, priority, run_at);
end $$;
comment on function darkroom.enqueue_uploads is
    'Queues photos and texts for publishing, thousands in one statement, in the caller''s transaction, and returns their jobs'' '
    'numbers in the given order. The originals must already be in the media store. The fields of each are the '
    'arguments of enqueue_upload; queue, priority (-100 to 100, lower runs first) and run_at apply to all. Errors: '
    'those of enqueue_upload; then nothing was queued.';
