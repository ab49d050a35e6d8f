create or replace function darkroom.claim_media(key text) returns boolean
language plpgsql set enable_seqscan = off as $$
begin
    perform darkroom.take_lock('media', darkroom.lock_number(key));
    -- A separate statement, so that it sees what was committed while the lock waited.
    return not exists (select from darkroom.renditions r where r.media_key = key)
       and not exists (select from darkroom.uploads u where u.original_key = key and u.original_erased_at is null);
end $$;
comment on function darkroom.claim_media is
    'Whether nothing refers to a file. Nothing can until the transaction ends, so delete the file before that.';
