-- May be called by: api
-- Example:
--   select darkroom.edit_post(post_id => 3, uploader => 'user-3', headline => 'The ferry', caption => null, category => 'food')
create or replace function darkroom.edit_post(
    post_id bigint, uploader darkroom.person, headline darkroom.headline, caption darkroom.caption,
    category darkroom.category) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    old       darkroom.posts;
    said      jsonb;
    wrong     record;
    suspicion record;
begin
    headline := darkroom.clean_text(headline);
    caption := darkroom.clean_text(caption);
    category := darkroom.clean_word(category);
    -- Reviews take the same lock.
    select * into old from darkroom.posts p
    where p.post_id = edit_post.post_id and p.uploader = edit_post.uploader for no key update;
    if not found then
        raise exception using errcode = 'no_data_found', message = format('this uploader has no post %s', post_id),
            hint = 'It may have been deleted before.';
    end if;
    perform darkroom.refuse_barred(uploader);
    -- A separate statement, so that it sees the deletion that the lock waited for. The time of a held post has yet to begin.
    if old.state not in ('published', 'held', 'hidden') or coalesce(old.state <> 'held' and old.expires_at <= now(), false)
       or exists (select from darkroom.post_erasures e where e.post_id = old.post_id)
    then
        raise exception using errcode = 'object_not_in_prerequisite_state',
            message = format('post %s is removed or expired: it cannot be edited', old.post_id);
    elsif (headline, caption, category) is not distinct from (old.headline, old.caption, old.category) then
        return old.state;
    elsif (select count(*) from darkroom.post_edits e where e.post_id = old.post_id) >= 100 then
        raise exception using errcode = 'object_not_in_prerequisite_state',
            message = format('post %s was edited 100 times: it cannot be edited again', old.post_id),
            hint = 'Delete it, and post it again.';
    end if;

    said := jsonb_build_object('headline', headline, 'caption', caption, 'category', category, 'link', old.link,
                               'latitude', old.latitude, 'longitude', old.longitude);
    if old.format is not null then
        said := said || jsonb_build_object('original_key', 'originals', 'original_sha256', sha256(''), 'original_bytes', 0);
    end if;
    select b.reason, darkroom.rule_message(b.reason) as message into wrong
    from darkroom.broken_constraints('darkroom.uploads', said) b
    union all
    select o.reason, o.message
    from darkroom.posting_objections(headline, caption, category, old.link,
             case when old.location_precision in ('point', 'area') then old.location_accuracy_m end) o
    limit 1;
    if found then
        raise exception using errcode = 'check_violation', constraint = wrong.reason, message = wrong.message;
    end if;

    insert into darkroom.post_edits (post_id, headline, caption, category)
    values (old.post_id, old.headline, old.caption, old.category);
    update darkroom.posts p
    set headline = edit_post.headline, caption = edit_post.caption, category = edit_post.category,
        expires_at = case when edit_post.category is distinct from p.category
                          then darkroom.expiry_for(edit_post.category, p.activity, p.published_at) else p.expires_at end
    where p.post_id = old.post_id;
    insert into darkroom.outbox (post_id, event) values (old.post_id, 'edited');
    if category is distinct from old.category then
        perform darkroom.coarsen_location(old.post_id);
    end if;
    -- A list of known photos may have come since the post was published. What was found before waits for a person already; a post
    -- that reports alone have hidden may be shown again without one.
    if exists (select from darkroom.hide_listed(old.post_id)) then
        return case old.state when 'published' then 'hidden' else old.state end;
    elsif old.state = 'held'
          or old.state = 'hidden' and exists (select from darkroom.reviews r
                                              where r.post_id = old.post_id and r.comment_id = 0 and r.cause not in ('score', 'reported'))
    then
        return old.state;
    end if;
    select s.* into suspicion from darkroom.suspicion_of(old.uploader, old.perceptual_hash, old.post_id) s;
    if suspicion.cause is null then
        return old.state;
    end if;
    perform darkroom.add_decision(
        old.post_id, 'hide', suspicion.cause, 'hidden', suspicion.policy_version, similar_to => suspicion.similar_to,
        similar_distance => suspicion.similar_distance, uploader_removals => suspicion.removals);
    perform darkroom.list_for_review(old.post_id, suspicion.cause);
    if old.state = 'published' then
        perform darkroom.hide_post(old.post_id);
    end if;
    return 'hidden';
end $$;
comment on function darkroom.edit_post is
    'Replaces the headline, caption and category of a published, held or hidden post of its uploader; null for none. Returns '
    'the state of the post: an edited post is screened again like a new one, and hidden until a person has reviewed it if a '
    'new one would be held. It then expires by the policy of its category. Its location is published no more exactly than '
    'before: if the category has a stricter location policy, it is made coarser at once, and a job then names its place again. What it said before is kept for '
    'reviews. Errors: 23514 for what enqueue_upload would refuse (the '
    'constraint''s name says why), P0002 if the uploader has no such post, 55000 if it is removed or expired, or was edited '
    '100 times.';
