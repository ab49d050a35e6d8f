-- Stable, as the text of a number is for the planner, so that it is inlined.
create or replace function darkroom.anonymity_of(
    anonymous_within text, post_id bigint, category text, activity text) returns text
language sql stable parallel safe as $$
    select case anonymous_within when 'post' then 'post ' || post_id when 'activity' then 'activity ' || coalesce(darkroom.name_key(activity), '')
                                 when 'category' then 'category ' || coalesce(darkroom.name_key(category), '') else 'app' end
$$;
comment on function darkroom.anonymity_of is
    'Within what the uploader of an anonymous post has its handle, by settings.anonymous_within.';
