create or replace function darkroom.is_upload_of(of_kind text, subject bigint, person text) returns boolean
language sql stable as $$
    select darkroom.ingests(of_kind)
       and exists (select from darkroom.uploads u where u.upload_id = subject and u.uploader = person)
$$;
comment on function darkroom.is_upload_of is 'Whether a job of a kind and subject ingests an upload of a person.';
