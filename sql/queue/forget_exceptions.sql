-- Not a part of resume_queue: that may yet be rolled back.
create or replace function darkroom.forget_exceptions() returns void
language plpgsql as $$
begin
    if pg_sequence_last_value('darkroom.exceptions') is not null and darkroom.try_lock('exceptions') then
        -- A statement of its own, which sees what was committed before the lock was there.
        if not exists (select from darkroom.pauses where drains) and not exists (select from darkroom.fair_keys where weight <> 1) then
            perform setval('darkroom.exceptions', 1, false);
        end if;
    end if;
end $$;
comment on function darkroom.forget_exceptions is
    'Tells enqueue_job that there are no drains and no weights any more, if that is so. Called by the upkeep, in a transaction of '
    'its own.';
