-- May be called by: api
-- Example:
--   select darkroom.update_activity('Harbour festival', ends_at => now() + interval '4 days')
create or replace function darkroom.update_activity(
    activity  darkroom.activity_name,
    latitude  darkroom.latitude default null,
    longitude darkroom.longitude default null,
    radius_m  darkroom.metres default null,
    begins_at timestamptz default null,
    ends_at   timestamptz default null,
    aliases   text[] default null
) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    target text := darkroom.activity_named(activity);
    by_operator boolean;
begin
    update darkroom.activities a
    set latitude = coalesce(update_activity.latitude, a.latitude), longitude = coalesce(update_activity.longitude, a.longitude),
        radius_m = coalesce(update_activity.radius_m, a.radius_m),
        begins_at = case when begins_at = '-infinity' then null else coalesce(begins_at, a.begins_at) end,
        new_ends_at = case when ends_at = 'infinity' then null
                           else coalesce(ends_at, case when a.is_changed then a.new_ends_at else a.ends_at end) end,
        is_changed = true
    where a.activity = target
    returning a.by_operator into by_operator;
    if not found then
        return false;
    elsif by_operator and not darkroom.is_operator() then
        raise exception using errcode = 'insufficient_privilege', constraint = 'activity_is_of_an_operator',
            message = 'an operator made this activity, so only operators can change it',
            hint = 'Ask an operator to change it.';
    end if;
    if aliases is not null then
        perform darkroom.set_aliases(target, aliases);
    end if;
    return true;
end $$;
comment on function darkroom.update_activity is
    'Changes an activity, given by its name or an alias. The area is in degrees and metres. What is null stays as it is. ends_at => ''infinity'' and begins_at '
    '=> ''-infinity'' take the time away; aliases replaces all aliases. Its posts follow within a second or two; '
    'if they are many thousands, this takes longer: posts_moved of the function activity says how far it is. Posts that have '
    'followed an alias stay when the alias is taken away. Apps can change the activities that apps made, operators all. Returns '
    'false if there is no such activity. Errors: those of create_activity; 42501 (activity_is_of_an_operator) if an operator '
    'made it and the caller is none; 55000 (posts_of_the_alias_are_moving) if it takes away an alias whose posts are on their way; 42501 '
    '(a_policy_binds_the_alias) if an app takes away an alias while a location or expiry policy is for a name of the activity.';
