-- The only writer of the log: what every decision says of its post or comment is said here.
create or replace function darkroom.add_decision(
    of_post bigint, decision text, cause text, to_state darkroom.post_state, by_policy integer default null,
    reports integer default 0, score double precision default null, threshold double precision default null,
    views bigint default null, similar_to bigint default null, similar_distance integer default null,
    uploader_removals integer default null, hash_list bigint default null, hash_list_name text default null,
    hash_distance integer default null, decider text default null, note text default null, ground text default null,
    ground_reference text default null, appeal bigint default null, of_comment bigint default 0) returns bigint
language sql as $$
    insert into darkroom.moderation_decisions (
        post_id, comment_id, author, decision, cause, policy_version, reports, from_state, to_state, decider, note, score, threshold, views,
        similar_to, similar_distance, uploader_removals, hash_list, hash_list_name, hash_distance, ground, ground_reference,
        appeal_id, decided_at, content_at, content_has_photo, content_has_text)
    select s.post_id, of_comment, s.author, add_decision.decision, add_decision.cause,
           coalesce(add_decision.by_policy, (select max(m.version) from darkroom.moderation_policies m)),
           add_decision.reports,
           s.state, add_decision.to_state, add_decision.decider, add_decision.note, add_decision.score,
           add_decision.threshold, add_decision.views, add_decision.similar_to, add_decision.similar_distance,
           add_decision.uploader_removals, add_decision.hash_list, add_decision.hash_list_name, add_decision.hash_distance,
           add_decision.ground, add_decision.ground_reference, add_decision.appeal, clock_timestamp(), s.content_at,
           s.has_photo, s.has_text
    from (select p.post_id, null as author, p.state, p.published_at as content_at, p.format is not null as has_photo,
                 coalesce(p.headline, p.caption, p.link, p.venue_name, p.credit, p.licence) is not null as has_text
          from darkroom.posts p where p.post_id = of_post and of_comment = 0
          union all
          select c.post_id, c.author, c.state, c.created_at, false, true from darkroom.comments c where c.comment_id = of_comment) s
    returning decision_id
$$;
comment on function darkroom.add_decision is
    'Writes a decision on a post, or on a comment below it, whose row the caller has locked and still has in the state before the decision, and returns '
    'its number. by_policy is the version that decided, by default the one in force; reports is how many it has weighed.';
