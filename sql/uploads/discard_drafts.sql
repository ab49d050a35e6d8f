create or replace function darkroom.discard_drafts(upload_ids bigint[]) returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    keys  text[];
    whose text[];
    gone  integer;
begin
    with gone as (
        delete from darkroom.uploads u where u.upload_id = any (upload_ids) and u.is_draft
        returning u.original_key, u.uploader)
    select count(*), array_agg(g.original_key order by g.original_key) filter (where g.original_key is not null),
           array_agg(g.uploader order by g.original_key) filter (where g.original_key is not null)
    into gone, keys, whose from gone g;
    for n in 1 .. coalesce(cardinality(keys), 0) loop
        perform darkroom.retire_media(array[keys[n]], of_person => whose[n]);
    end loop;
    return gone;
end $$;
comment on function darkroom.discard_drafts is 'Erases drafts and retires their originals. Returns how many.';
