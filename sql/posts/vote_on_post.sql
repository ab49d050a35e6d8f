-- May be called by: api
-- Example:
--   select darkroom.vote_on_post(post_id => 1, voter => 'user-9', vote => 'like')
create or replace function darkroom.vote_on_post(post_id bigint, voter darkroom.person, vote darkroom.choice) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    target  bigint := post_id;
    person  text := voter;
    wanted  darkroom.vote := darkroom.checked_vote(vote);
    earlier darkroom.vote;
    is_new  boolean;
    is_own  boolean;
    change  integer;
begin
    if person is null then perform darkroom.missing('voter'); end if;
    -- As darkroom.is_visible.
    select p.uploader = person into is_own from darkroom.posts p
    where p.post_id = target and p.state = 'published' and (p.expires_at is null or p.expires_at > now());
    if not found then
        raise exception using errcode = 'no_data_found', message = format('there is no post %s to vote on', target),
            hint = 'It may have been hidden, removed or expired since it was shown.';
    end if;
    insert into darkroom.votes as v (post_id, voter, vote) select target, person, wanted where wanted is not null
    on conflict do nothing;
    is_new := found;
    if not is_new then
        -- The lock makes two votes of one person take turns.
        select v.vote into earlier from darkroom.votes v where v.post_id = target and v.voter = person for update;
        if not found or earlier is not distinct from wanted then
            return false;
        end if;
        update darkroom.votes v set vote = wanted, changed_at = clock_timestamp()
        where v.post_id = target and v.voter = person;
    end if;
    change := coalesce((wanted = 'like')::int, 0) - coalesce((earlier = 'like')::int, 0);
    insert into darkroom.counter_changes (post_id, likes, dislikes, likes_by_others)
    values (target, change, coalesce((wanted = 'dislike')::int, 0) - coalesce((earlier = 'dislike')::int, 0),
            case when is_own then 0 else change end);
    return true;
end $$;
comment on function darkroom.vote_on_post is
    'Sets a person''s vote on a visible post: like, dislike, or none to take it back. Returns whether that changed '
    'anything. Feeds and boards show it within a second or two, post_details at once. Errors: P0002 if there is no '
    'such visible post, 22023 for another vote or null, 23514 for a voter out of range (1 to 200 characters) and, as dislikes_are_off, for a dislike without settings.takes_dislikes.';
