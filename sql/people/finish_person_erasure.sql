create or replace function darkroom.finish_person_erasure(of_erasure bigint) returns boolean
language plpgsql as $$
declare
    whom text;
begin
    select e.person into whom from darkroom.person_erasures e where e.erasure_id = of_erasure for update;
    if whom is null then
        return true;
    end if;
    if exists (select from darkroom.retired_media m where m.erasure_id = of_erasure)
       -- Not waited for, as others who act would wait behind.
       or not pg_try_advisory_xact_lock(20260126, darkroom.person_lock_number(whom))
    then
        return false;
    end if;
    -- A statement of its own: it sees what those had committed who had the lock.
    if darkroom.has_traces(of_erasure) then
        return false;
    end if;
    update darkroom.person_erasures
    set state = 'finished', person = null, pseudonym = null, finished_at = clock_timestamp()
    where erasure_id = of_erasure;
    return true;
end $$;
comment on function darkroom.finish_person_erasure is
    'Ends an erasure and forgets whose it was. False: something of the person is there still or again, or somebody '
    'acts for them, or for one who shares their lock, right now. True: who acts for the person from the commit on '
    'acts for somebody new.';
