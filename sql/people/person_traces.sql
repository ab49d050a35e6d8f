create or replace function darkroom.person_traces(person text) returns table (what text, "rows" bigint)
language sql stable set enable_seqscan = on as $$
    select 'posts', count(*) from darkroom.posts p where p.uploader = person_traces.person
    union all select 'uploads', count(*) from darkroom.uploads u where u.uploader = person_traces.person
    union all select 'originals', count(*) from darkroom.uploads u
              where u.uploader = person_traces.person and u.original_key is not null
                and u.original_erased_at is null
    union all select 'jobs', count(*) from darkroom.jobs j where j.fair_key = person_traces.person
    union all select 'votes', (select count(*) from darkroom.votes v where v.voter = person_traces.person)
                            + (select count(*) from darkroom.comment_votes v where v.voter = person_traces.person)
    union all select 'comments', count(*) from darkroom.comments c where c.author = person_traces.person
    union all select 'reports', count(*) from darkroom.reports r where r.reporter = person_traces.person
    union all select 'decisions', count(*) from darkroom.moderation_evidence e where e.reporter = person_traces.person
    union all select 'inbox', count(*) from darkroom.inbox_entries i where i.person = person_traces.person
    union all select 'blocks', count(*) from darkroom.blocks b where b.person = person_traces.person
    union all select 'follows', count(*) from darkroom.follows f where f.person = person_traces.person
    union all select 'given_up_names', count(*) from darkroom.given_up_names g where g.person = person_traces.person
    union all select 'history', count(*) from darkroom.finished_jobs f where f.fair_key = person_traces.person
$$;
comment on function darkroom.person_traces is 'What an erasure of a person would find. Erases nothing.';
