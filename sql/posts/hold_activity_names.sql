-- Two who want one name, or one that the other gives up, do not wait for each other: the first gets what it wants.
create or replace function darkroom.hold_activity_names(keys text[]) returns void
language plpgsql as $$
declare
    one integer;
begin
    for one in select distinct darkroom.lock_number(k) from unnest(keys) k where k is not null order by 1 loop
        if not darkroom.try_lock('activity_name', one) then
            raise exception using errcode = 'unique_violation', constraint = 'activity_name_is_taken',
                message = 'somebody is giving an activity this name or alias', hint = 'Give another name, or try again.';
        end if;
    end loop;
end $$;
comment on function darkroom.hold_activity_names is
    'Keeps others from giving these keys of names to activities, or taking them away, until the transaction ends. Errors: 23505 '
    '(activity_name_is_taken) if somebody is doing so.';
