-- May be called by: api
-- Example:
--   select darkroom.enqueue_uploads('[
--       {"uploader": "user-17", "original_key": "originals/a", "original_bytes": 48213,
--        "original_sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"},
--       {"uploader": "user-18", "original_key": "originals/b", "original_bytes": 51200,
--        "original_sha256": "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"}]',
--       queue => 'default', priority => 10)
create or replace function darkroom.enqueue_uploads(
    uploads  jsonb,
    queue    darkroom.queue_name default 'default',
    priority integer default 0,
    run_at   darkroom.moment default null
) returns bigint[]
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_variable
declare
    fields text[] := array(select a.attname::text from pg_attribute a
                           where a.attrelid = 'darkroom.new_upload'::regclass and a.attnum > 0 order by a.attnum);
    texts  text[] := array(select a.attname::text from pg_attribute a join pg_type t on t.oid = a.atttypid
                           where a.attrelid = 'darkroom.new_upload'::regclass and a.attnum > 0
                             and t.typcategory = 'S');
    wrong  record;
begin
    if jsonb_typeof(uploads) is distinct from 'array'
       or jsonb_path_exists(uploads, 'strict $[*] ? (@.type() != "object")')
       or jsonb_array_length(uploads) > 10000
    then
        raise exception using errcode = 'invalid_parameter_value',
            message = 'uploads is not a list of at most 10,000 objects',
            hint = 'Give an array of objects; several calls can share a transaction.';
    end if;
    select e.key, e.key = any (fields) as is_known into wrong from jsonb_array_elements(uploads) u, jsonb_each(u) e
    where e.key <> all (fields) or jsonb_typeof(e.value) in ('object', 'array')
       or e.key = any (texts) and jsonb_typeof(e.value) not in ('string', 'null')
    limit 1;
    if wrong.is_known then
        raise exception using errcode = 'invalid_parameter_value', message = format('%s is not of its type', wrong.key),
            hint = 'Texts are strings; numbers may be strings, too.';
    elsif found then
        raise exception using errcode = 'invalid_parameter_value', message = format('an upload has no field %L', left(wrong.key, 100)),
            hint = format('The fields are %s.', array_to_string(fields, ', '));
    end if;
    return darkroom.add_uploads(
        array(select jsonb_populate_record(null::darkroom.new_upload, u) from jsonb_array_elements(uploads) with ordinality e (u, n)
              order by n),
        queue, priority, run_at);
end $$;
comment on function darkroom.enqueue_uploads is
    'Queues photos and texts for publishing, thousands in one statement, in the caller''s transaction, and returns their jobs'' '
    'numbers in the given order. The originals must already be in the media store. uploads is a list of at most 10,000 objects. The '
    'fields of each are the arguments of enqueue_upload, by name; a field that is not given is null. queue, priority (-100 to 100, '
    'lower runs first) and run_at apply to all. Errors: those of enqueue_upload, 22023 for a field that there is not or a '
    'value that is not of its type, and others of class 22 for a text that is no number or time; then nothing was queued. Give times with '
    'their offset from UTC.';
