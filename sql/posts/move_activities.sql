-- For a job: an app's transaction may stay open, and nobody who publishes shall wait for it. So an app only notes what it
-- wants, and this moves some posts of one activity in a short transaction. An activity with a post that an app holds waits for
-- the next call, and one with many posts lets others go first.
create or replace function darkroom.move_activities(at_most integer default 200) returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    target text;
begin
    for target in
        select a.activity from darkroom.activities a where a.is_changed or a.moved_to is not null
        order by coalesce(a.posts_moved, 0), a.activity_id
    loop
        begin
            if darkroom.move_activity(target, at_most) then
                return 1;
            end if;
        exception when lock_not_available then
            null;
        end;
    end loop;
    return 0;
end $$;
comment on function darkroom.move_activities is
    'Puts into force what apps have changed of one activity, for up to at_most of its posts: see move_activity. '
    'Returns whether there was one that nobody holds. For the tally job.';
