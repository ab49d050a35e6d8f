-- Each list is held against a post once: what a person has approved since stays approved.
create or replace function darkroom.hide_listed(of_post bigint, of_list bigint default null)
returns table (list_id bigint, name text, differing integer, was_seen boolean)
language plpgsql set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
    known record;
    match record;
begin
    select p.state, p.pdq, p.pdq_quality into known from darkroom.posts p
    where p.post_id = of_post and p.state in ('published', 'hidden', 'held') for no key update;
    if not found then
        return;
    end if;
    select l.* into match from darkroom.listed_hash(known.pdq, known.pdq_quality, of_list) l
    where not exists (select from darkroom.moderation_decisions d
                      where d.post_id = of_post and d.hash_list = l.list_id)
    limit 1;
    if not found then
        return;
    end if;
    insert into darkroom.moderation_decisions (
        post_id, decision, cause, policy_version, reports, from_state, to_state, hash_list, hash_list_name, hash_distance,
        decided_at, content_at, content_has_text)
    select p.post_id, case p.state when 'held' then 'hold' else 'hide' end, 'listed_hash',
           (select max(m.version) from darkroom.moderation_policies m), 0, p.state,
           case p.state when 'held' then p.state else 'hidden' end, match.list_id, match.name, match.differing,
           clock_timestamp(), p.published_at, coalesce(p.headline, p.caption, p.link) is not null
    from darkroom.posts p where p.post_id = of_post;
    insert into darkroom.reviews as r (post_id, severity, score, cause)
    values (of_post, 8, 0, 'listed_hash')
    on conflict (post_id) do update
    set severity = greatest(r.severity, excluded.severity), is_binding = true,
        cause = case when r.appeal_id is null then excluded.cause else r.cause end;
    if known.state = 'published' then
        perform darkroom.keep_hash(of_post);
        update darkroom.posts p set state = 'hidden' where p.post_id = of_post;
        insert into darkroom.outbox (post_id, event) values (of_post, 'hidden');
    end if;
    return query select match.list_id, match.name, match.differing, known.state = 'published';
end $$;
comment on function darkroom.hide_listed is
    'Puts a post that is on a list of known photos into the review list, and hides it if it is published, until a person decides. '
    'Returns the list, the bits in which the hashes differ, and whether readers saw it until now. No row if it is on no list, '
    'or if each list that it is on was held against it before.';
