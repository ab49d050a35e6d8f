-- May be called by: api, reader
-- Example:
--   select activity, begins_at, ends_at, aliases from darkroom.activity('harbour fest')
create or replace function darkroom.activity(activity darkroom.activity_name)
returns setof darkroom.known_activity
language sql stable rows 1 security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
    select a.activity, a.latitude, a.longitude, a.radius_m, a.begins_at,
           case when a.is_changed then a.new_ends_at else a.ends_at end,
           array(select n.name from darkroom.activity_names n
                 where n.activity = a.activity and n.name <> a.activity order by n.name),
           case when a.is_changed or a.moved_to is not null then coalesce(a.posts_moved, 0) end,
           null::double precision, null::text
    from darkroom.activities a where a.activity = darkroom.activity_named($1)
$$;
comment on function darkroom.activity is
    'An activity by its name or an alias, also one that is over. No row if there is none in darkroom.activities.';
