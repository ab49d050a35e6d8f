create or replace function darkroom.note_exception() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    -- Shared until this transaction ends, so that forget_exceptions does not miss what is not committed yet.
    perform darkroom.share_lock('exceptions');
    perform setval('darkroom.exceptions', 1);
    return new;
end $$;
comment on function darkroom.note_exception is
    'The trigger that tells enqueue_job to look for drains and weights. It does so before there is one that enqueue_job can see.';
