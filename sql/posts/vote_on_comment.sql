-- May be called by: api
-- Example:
--   select darkroom.vote_on_comment(comment_id => 1, voter => 'user-9', vote => 'dislike')
create or replace function darkroom.vote_on_comment(comment_id bigint, voter darkroom.person, vote darkroom.choice) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    target  bigint := comment_id;
    person  text := voter;
    wanted  darkroom.vote := darkroom.checked_vote(vote);
    earlier darkroom.vote;
    of_post bigint;
begin
    if person is null then perform darkroom.missing('voter'); end if;
    select c.post_id into of_post from darkroom.comments c where c.comment_id = target and c.state = 'published'
    for key share;
    if not found or not darkroom.is_visible(of_post) then
        raise exception using errcode = 'no_data_found', message = format('there is no comment %s to vote on', target);
    end if;
    insert into darkroom.comment_votes as v (comment_id, voter, vote) select target, person, wanted
    where wanted is not null
    on conflict do nothing;
    if not found then
        select v.vote into earlier from darkroom.comment_votes v
        where v.comment_id = target and v.voter = person for update;
        if not found or earlier is not distinct from wanted then
            return false;
        end if;
        update darkroom.comment_votes v set vote = wanted, changed_at = clock_timestamp()
        where v.comment_id = target and v.voter = person;
    end if;
    insert into darkroom.counter_changes (post_id, comment_id, likes, dislikes)
    values (of_post, target, coalesce((wanted = 'like')::int, 0) - coalesce((earlier = 'like')::int, 0),
            coalesce((wanted = 'dislike')::int, 0) - coalesce((earlier = 'dislike')::int, 0));
    return true;
end $$;
comment on function darkroom.vote_on_comment is
    'Sets a person''s vote on a comment of a visible post: like, dislike, or none to take it back. Returns whether '
    'that changed anything. Errors: P0002 if there is no such comment, 22023 for another vote or null, 23514 for a voter out of range (1 to 200 '
    'characters) and, as dislikes_are_off, for a dislike without settings.takes_dislikes.';
