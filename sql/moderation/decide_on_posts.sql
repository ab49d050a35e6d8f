-- May be called by: moderator
-- Example:
--   select post_id, state, problem from darkroom.decide_on_posts(
--       post_ids => '{1,2}', decision => 'remove', moderator => 'olga', terms => 'section 4')
create or replace function darkroom.decide_on_posts(
    post_ids darkroom.post_numbers, decision text, moderator text, note text default null, law text default null,
    terms text default null)
returns table (post_id bigint, decision_id bigint, state text, problem text)
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off
set jit = off as $$
#variable_conflict use_variable
declare
    touched bigint[];
    one     bigint;
    made    record;
begin
    if cardinality(post_ids) > 100 or array_ndims(post_ids) > 1 then
        raise exception using errcode = 'invalid_parameter_value', message = 'post_ids is not a list of at most 100 posts',
            hint = 'Decide on at most 100 posts at once.';
    end if;
    perform darkroom.check_decision(decision, moderator, note, law, terms);
    -- All that several of the decisions lock, in the order of a single decision and ascending: so nobody who decides waits for
    -- this while this waits for them.
    perform darkroom.share_lock('activity', l.number)
    from (select distinct darkroom.lock_number(darkroom.name_key(p.activity)) as number from darkroom.posts p
          where p.post_id = any (post_ids) and p.activity is not null order by 1) l;
    touched := array(select u from unnest(post_ids) u union select darkroom.replaced_posts(u) from unnest(post_ids) u);
    perform from darkroom.posts p where p.post_id = any (touched) order by p.post_id for no key update;
    perform from darkroom.feed f where f.post_id = any (touched) order by f.post_id for no key update;
    perform from darkroom.reports r where r.post_id = any (post_ids) and r.comment_id = 0 order by r.post_id, r.reporter for no key update;
    perform from darkroom.people p
    where p.person in (select r.reporter from darkroom.reports r where r.post_id = any (post_ids) and r.comment_id = 0
                       union select o.uploader from darkroom.posts o where o.post_id = any (post_ids))
    order by p.person for no key update;
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
