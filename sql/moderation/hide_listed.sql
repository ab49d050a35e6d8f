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
    perform darkroom.add_decision(
        of_post, case known.state when 'held' then 'hold' else 'hide' end, 'listed_hash',
        case known.state when 'held' then known.state else 'hidden' end,
        hash_list => match.list_id, hash_list_name => match.name, hash_distance => match.differing);
    perform darkroom.list_for_review(of_post, 'listed_hash');
    if known.state = 'published' then
        perform darkroom.hide_post(of_post);
    end if;
    return query select match.list_id, match.name, match.differing, known.state = 'published';
end $$;
comment on function darkroom.hide_listed is
    'Puts a post that is on a list of known photos into the review list, and hides it if it is published, until a person decides. '
    'Returns the list, the bits in which the hashes differ, and whether readers saw it until now. No row if it is on no list, '
    'or if each list that it is on was held against it before.';
