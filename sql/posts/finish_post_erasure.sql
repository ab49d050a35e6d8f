create or replace function darkroom.finish_post_erasure(of_post bigint) returns text
language plpgsql set enable_seqscan = off set jit = off set lock_timeout = '2s' as $$
declare
    source bigint := (select e.upload_id from darkroom.post_erasures e where e.post_id = of_post);
begin
    perform darkroom.erase_leftovers(of_post);
    -- One statement, so that no file moves from one list to another between two looks.
    return case
        when exists (select from darkroom.posts p where p.post_id = of_post)
          or exists (select from darkroom.uploads u where u.upload_id = source) then 'rows'
        when exists (select from darkroom.unpublished_media u where u.upload_id = source) then 'attempts'
        when exists (select from darkroom.retired_media m where m.post_id = of_post) then 'files'
        when exists (select from darkroom.comments c where c.post_id = of_post and not c.is_deleted)
          or exists (select from darkroom.votes v where v.post_id = of_post)
          or exists (select from darkroom.reports r where r.post_id = of_post) then 'reactions' end;
end $$;
comment on function darkroom.finish_post_erasure is
    'Returns null if nothing is left of an erased post: no row, no file, and no attempt that may store one. Else returns '
    'what is: rows, attempts, files or reactions. Call it in the transaction that ends the erasure.';
