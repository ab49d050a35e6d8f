create or replace function darkroom.check_activity() returns trigger
language plpgsql as $$
declare
    bad text;
begin
    bad := case
        when num_nonnulls(new.latitude, new.longitude, new.radius_m) not in (0, 3)
        then 'an_area_has_a_latitude_a_longitude_and_a_radius'
        when new.radius_m <= 0 or new.radius_m > 1000000 then 'radius_is_above_0_and_at_most_1000000_metres'
        when new.begins_at >= new.ends_at or new.begins_at >= new.new_ends_at then 'an_activity_ends_after_it_begins' end;
    if bad is not null then
        raise exception using errcode = 'check_violation', constraint = bad,
            message = format('an activity violates the rule “%s”', replace(bad, '_', ' ')), hint = 'The rule''s name says what to give.';
    end if;
    return new;
end $$;
comment on function darkroom.check_activity is
    'The trigger that refuses an activity whose area or times are not right. The table would refuse it too, but show the row '
    'with its coordinates. Errors: 23514, with the name of the table''s constraint.';
