-- May be called by: api
-- Example:
--   select darkroom.create_activity('Night market', latitude => 47.6026, longitude => -122.3393, radius_m => 500,
--       begins_at => now(), ends_at => now() + interval '3 days', aliases => array['night food'])
create or replace function darkroom.create_activity(
    activity  darkroom.activity_name,
    latitude  darkroom.latitude default null,
    longitude darkroom.longitude default null,
    radius_m  darkroom.metres default null,
    begins_at darkroom.moment default null,
    ends_at   darkroom.moment default null,
    aliases   text[] default null
) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    cleaned text := darkroom.clean_word(activity);
    free    integer;
begin
    if cleaned is null then
        raise exception using errcode = 'check_violation', constraint = 'activity_is_1_to_100_characters',
            message = 'the activity''s name is blank', hint = 'Give 1 to 100 characters.';
    end if;
    perform darkroom.hold_activity_names(array[darkroom.name_key(cleaned)]);
    loop
        -- A login has so many slots. Two that take one at the same time rarely take the same, so they rarely wait.
        select s into free from generate_series(1, (select g.activities_at_most from darkroom.settings g)) s
        where not exists (select from darkroom.activities a where a.created_by = session_user and a.slot = s)
          -- There may be more in other slots, if the limit was lowered.
          and (select g.activities_at_most from darkroom.settings g)
              > (select count(*) from darkroom.activities a where a.created_by = session_user)
        order by random() limit 1;
        if not found then
            raise exception using errcode = 'configuration_limit_exceeded', constraint = 'activities_at_most',
                message = 'this login has as many activities as it may have',
                hint = 'An operator can raise settings.activities_at_most, or delete activities that are over.';
        end if;
        if exists (select from darkroom.activity_names n where n.key = darkroom.name_key(cleaned)) then
            raise exception using errcode = 'unique_violation', constraint = 'activity_name_is_taken',
                message = 'an activity has this name or alias', hint = 'Give another name, or use update_activity.';
        end if;
        insert into darkroom.activities as a (
            activity, begins_at, latitude, longitude, radius_m, created_by, by_operator, slot, new_ends_at, is_changed)
        values (cleaned, begins_at, latitude, longitude, radius_m, session_user, darkroom.is_operator(), free, nullif(ends_at, 'infinity'), true)
        on conflict do nothing;
        exit when found;
    end loop;
    perform darkroom.set_aliases(cleaned, aliases);
    return cleaned;
end $$;
comment on function darkroom.create_activity is
    'Creates an activity with a name of 1 to 100 characters, and returns the name as it is stored. Its area is a circle: the '
    'centre in degrees and the radius in metres, above 0 and at most 1,000,000; give all three or none. ends_at is when its '
    'posts end under a policy with ends_with_activity; null or infinity for never. aliases, at most 20, mean the activity '
    'wherever a name is given. Names are compared without case. Posts that had one of the names before follow within a second '
    'or two; those of a name with many thousands take longer. Only operators can change what an operator made. Errors: 23505 (activity_name_is_taken) if another activity has the name or an alias, or somebody is giving it to one, 23514 for a value out of '
    'range, 53400 if the login has settings.activities_at_most activities.';
