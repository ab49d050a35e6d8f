-- May be called by: moderator
-- Example:
--   select post_id, state, problem from darkroom.decide_on_posts(
--       post_ids => '{1,2}', decision => 'remove', moderator => 'olga', terms => 'section 4')
create or replace function darkroom.decide_on_posts(
    post_ids darkroom.post_numbers, decision text, moderator text, note text default null, law text default null,
    terms text default null)
returns table (post_id bigint, decision_id bigint, state text, problem text)
language plpgsql security definer set search_path = pg_catalog, pg_temp set jit = off as $$
#variable_conflict use_variable
declare
    one  bigint;
    made record;
begin
    if cardinality(post_ids) > 100 or array_ndims(post_ids) > 1 then
        raise exception using errcode = 'invalid_parameter_value', message = 'post_ids is not a list of at most 100 posts',
            hint = 'Decide on at most 100 posts at once.';
    end if;
    perform darkroom.check_decision(decision, moderator, note, law, terms);
    -- In ascending order, so that two who decide on the same posts wait for each other. If they decide on different posts with
    -- the same reporters they may deadlock: then one of them is told that the post is busy.
    for one in select distinct u from unnest(post_ids) u where u is not null order by 1 loop
        begin
            select d.decision_id, d.state into made
            from darkroom.decide_on_post(one, decision, moderator, note, law, terms) d;
            return query select one, made.decision_id, made.state, null::text;
        exception when no_data_found or object_in_use or object_not_in_prerequisite_state or deadlock_detected then
            return query select one, null::bigint, null::text,
                                case when sqlstate = '40P01' then format('post %s is busy: try again', one) else sqlerrm end;
        end;
    end loop;
end $$;
comment on function darkroom.decide_on_posts is
    'Decides the same on up to 100 posts, such as those that posts_to_review lists as alike, each as decide_on_post does. '
    'Returns a row for each: the decision, or the problem for which there is none. Errors: 22023 for more than 100 posts or an '
    'unknown decision, 23502 and 23514 for texts.';
