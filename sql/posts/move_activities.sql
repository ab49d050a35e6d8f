-- For a job: an app's transaction may stay open, and nobody who publishes shall wait for it. So an app only notes what it
-- wants, and this moves one activity in a short transaction. An activity with a post that an app holds waits for the next call.
create or replace function darkroom.move_activities() returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    target text;
begin
    for target in select a.activity from darkroom.activities a where a.is_changed order by a.activity_id loop
        begin
            if darkroom.move_activity(target) then
                return 1;
            end if;
        exception when lock_not_available then
            null;
        end;
    end loop;
    return 0;
end $$;
comment on function darkroom.move_activities is
    'Puts into force what apps have changed of one activity: see move_activity. '
    'Returns whether there was one that nobody holds. For the tally job.';
