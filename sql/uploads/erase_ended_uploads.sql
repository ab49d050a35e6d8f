-- Deletes the history of the jobs too, so that a replay finds no job whose upload is gone, and the next call finds the rest.
create or replace function darkroom.erase_ended_uploads(ended_before timestamptz, at_most integer default 1000) returns integer
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
declare
    jobs    bigint[];
    sources bigint[];
    keys    text[];
    whose   text[];
begin
    with ended as (
        delete from darkroom.finished_jobs f
        where (f.job_id, f.finished_at) in (
            select e.job_id, e.finished_at from darkroom.finished_jobs e
            where e.state = any ('{rejected,failed,cancelled}') and e.state <> 'succeeded' and e.finished_at < ended_before
            limit at_most for update)
        returning f.job_id, f.kind, f.subject_id)
    select array_agg(e.job_id), array_agg(e.subject_id) filter (where darkroom.ingests(e.kind)) into jobs, sources from ended e;
    with gone as (
        delete from darkroom.uploads u
        where u.upload_id = any (sources)
          and not exists (select from darkroom.posts p where p.upload_id = u.upload_id)
          and not exists (select from darkroom.jobs j where j.job_id = u.job_id)
          and not exists (select from darkroom.finished_jobs f where f.job_id = u.job_id)
        returning u.original_key, u.uploader, u.original_erased_at)
    select array_agg(g.original_key order by g.original_key), array_agg(g.uploader order by g.original_key) into keys, whose
    from gone g where g.original_erased_at is null;
    for n in 1 .. coalesce(cardinality(keys), 0) loop
        perform darkroom.retire_media(array[keys[n]], of_person => whose[n]);
    end loop;
    return coalesce(cardinality(jobs), 0);
end $$;
comment on function darkroom.erase_ended_uploads is
    'Removes from history up to at_most jobs that ended without success before a time, with their uploads that became no '
    'post, and retires the originals. Returns how many jobs.';
