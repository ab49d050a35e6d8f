create or replace function darkroom.set_aliases(of_activity text, aliases text[]) returns void
language plpgsql set enable_seqscan = off as $$
#variable_conflict use_variable
declare
    taken  text;
    given  text[];
begin
    if cardinality(aliases) > 20 then
        raise exception using errcode = 'check_violation', constraint = 'aliases_are_at_most_20',
            message = format('there are %s aliases', cardinality(aliases)), hint = 'Give at most 20.';
    end if;
    -- The type refuses what is too long, before anything is computed from it.
    given := array(select darkroom.clean_word(a::darkroom.activity_name) from unnest(aliases) a);
    perform darkroom.hold_activity_names(
        array(select darkroom.name_key(w) from unnest(given) w)
        || array(select n.key from darkroom.activity_names n where n.activity = of_activity));
    -- Half of the posts would have followed, and the others would not.
    if exists (select from darkroom.activities a join darkroom.activity_names n using (activity)
               where a.activity = of_activity and a.moved_to is not null and n.name <> of_activity
                 and n.key not in (select darkroom.name_key(w) from unnest(given) w where w is not null)
                 and exists (select from darkroom.posts p where darkroom.name_key(p.activity) = n.key))
    then
        raise exception using errcode = 'object_not_in_prerequisite_state', constraint = 'posts_of_the_alias_are_moving',
            message = 'the posts of an alias are being moved to the activity, so it cannot be taken away yet',
            hint = 'Try again when the activity is no longer moving.';
    end if;
    -- The posts that followed it would no longer have the policies of that name.
    if not darkroom.is_operator() and darkroom.has_bound_names(of_activity)
       and exists (select from darkroom.activity_names n where n.activity = of_activity and n.name <> of_activity
                     and n.key not in (select darkroom.name_key(w) from unnest(given) w where w is not null))
    then
        raise exception using errcode = 'insufficient_privilege', constraint = 'a_policy_binds_the_alias',
            message = 'policies apply to the names of this activity, so only operators can take one away',
            hint = 'Ask an operator, or leave the alias.';
    end if;
    -- Ascending, as everyone who takes several names.
    with wanted as (
        select distinct on (key) k.key, w as name
        from unnest(given) w cross join lateral (select darkroom.name_key(w) as key) k
        where k.key <> ''
        order by key),
    gone as (
        delete from darkroom.activity_names n
        where n.activity = of_activity and n.name <> of_activity and n.key not in (select w.key from wanted w)),
    added as (
        insert into darkroom.activity_names (key, activity, name)
        select w.key, of_activity, w.name from wanted w order by w.key
        on conflict (key) do update set name = activity_names.name
        returning activity_names.name, activity_names.activity)
    select a.name into taken from added a where a.activity <> of_activity limit 1;
    if found then
        raise exception using errcode = 'unique_violation', constraint = 'activity_name_is_taken',
            message = 'another activity has this name or alias', hint = 'Leave out the alias that another activity has.';
    end if;
end $$;
comment on function darkroom.set_aliases is
    'Sets the aliases of an activity, at most 20; blank ones count as none. Errors: 23505 (activity_name_is_taken) for a name of another activity, or one that '
    'somebody is giving to one, 23514 '
    'for one out of range, 55000 (posts_of_the_alias_are_moving) if it would take away an alias whose posts are being moved, 42501 '
    '(a_policy_binds_the_alias) if the caller is no operator and would take away an alias while a policy is for a name of the activity.';
