create or replace function darkroom.prune_erasures(at_most integer default 1000) returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    since   timestamptz := now() - make_interval(days => (select record_days from darkroom.settings));
    posts   integer;
    persons integer;
begin
    delete from darkroom.post_erasures where post_id = any (array(
        select e.post_id from darkroom.post_erasures e
        where e.erased_at < since
          -- The erasure of the uploader finds the post by its removal, and needs this row.
          and not exists (select from darkroom.removals r where r.post_id = e.post_id)
        order by e.erased_at limit at_most for update skip locked));
    get diagnostics posts = row_count;
    delete from darkroom.person_erasures where erasure_id = any (array(
        select e.erasure_id from darkroom.person_erasures e
        where e.state = 'finished' and e.finished_at < since order by e.finished_at limit at_most for update skip locked));
    get diagnostics persons = row_count;
    return posts + persons;
end $$;
comment on function darkroom.prune_erasures is
    'Removes up to at_most records each of posts and persons that were erased more than settings.record_days ago. Returns '
    'how many.';
