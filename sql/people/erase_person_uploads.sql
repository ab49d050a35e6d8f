create or replace function darkroom.erase_person_uploads(of_erasure bigint, at_most integer default 500) returns integer
language plpgsql set enable_seqscan = off set jit = off set lock_timeout = '2s' as $$
declare
    whom text := darkroom.erased_person(of_erasure);
    keys text[];
    made integer;
begin
    with gone as (
        delete from darkroom.uploads u
        where u.upload_id = any (array(
            select o.upload_id from darkroom.uploads o
            where o.uploader = whom
              and not exists (select from darkroom.posts p where p.upload_id = o.upload_id)
              and not exists (select from darkroom.jobs j where j.job_id = o.job_id)
            order by o.upload_id limit at_most for update))
        returning u.original_key, u.original_erased_at)
    select count(*), array_agg(original_key) filter (where original_erased_at is null) into made, keys from gone;
    perform darkroom.retire_media(keys, now(), null, whom);
    update darkroom.person_erasures set uploads = uploads + made where erasure_id = of_erasure;
    return made;
end $$;
comment on function darkroom.erase_person_uploads is
    'Erases up to at_most uploads of a person that have neither a post nor an unfinished job. Returns how many.';
