create or replace function darkroom.erased_person(of_erasure bigint) returns text
language plpgsql as $$
declare
    whom text;
begin
    update darkroom.person_erasures e
    set state = 'running', started_at = coalesce(e.started_at, clock_timestamp())
    where e.erasure_id = of_erasure and e.state <> 'finished' returning e.person into whom;
    return whom;
end $$;
comment on function darkroom.erased_person is 'Starts an erasure and returns whose it is; null once it is finished.';
