create or replace function darkroom.is_upload_of(of_kind darkroom.job_kind, subject bigint, person text) returns boolean
language sql stable as $$
    select of_kind = 'ingest'
       and exists (select from darkroom.uploads u where u.upload_id = subject and u.uploader = person)
$$;
comment on function darkroom.is_upload_of is 'Whether a job of a kind and subject ingests a photo of a person.';
