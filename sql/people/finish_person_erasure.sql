create or replace function darkroom.finish_person_erasure(of_erasure bigint) returns boolean
language plpgsql as $$
declare
    whom text;
begin
    select e.person into whom from darkroom.person_erasures e where e.erasure_id = of_erasure for update;
    if whom is null then
        return true;
    end if;
    if exists (select from darkroom.retired_media m where m.uploader = whom)
       -- Does not wait for the lock, since others who act for the person would queue behind it.
       or not darkroom.try_lock('acts', darkroom.acts_number(whom))
    then
        return false;
    end if;
    -- A separate statement, so that it sees what earlier holders of the lock committed. One, so that no file moves from one
    -- list to another between two looks.
    if darkroom.has_traces(of_erasure) then
        return false;
    end if;
    update darkroom.person_erasures
    set state = 'finished', person = null, pseudonym = null, finished_at = clock_timestamp()
    where erasure_id = of_erasure;
    return true;
end $$;
comment on function darkroom.finish_person_erasure is
    'Ends an erasure and forgets whose it was. Returns false if traces of the person remain or came back (rows, files that '
    'must be deleted, or attempts that may store some), or if somebody is acting for them or for a person who shares their '
    'lock. Once true is committed, the same identifier means a new person.';
