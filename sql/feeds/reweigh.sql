create or replace function darkroom.reweigh(from_post bigint, at_most integer default 1000) returns bigint
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    last_post bigint;
begin
    with batch as (
        select r.post_id from darkroom.ranks r where r.post_id > from_post order by r.post_id limit at_most
        for no key update skip locked),
    changed as (
        update darkroom.ranks r set weighted = darkroom.weighted_rating(r.likes, r.dislikes, a.average_rating, a.average_votes)
        from batch s, darkroom.rating_averages a
        where r.post_id = s.post_id
          and r.weighted is distinct from darkroom.weighted_rating(r.likes, r.dislikes, a.average_rating, a.average_votes))
    select max(s.post_id) into last_post from batch s;
    return last_post;
end $$;
comment on function darkroom.reweigh is
    'Rewrites the weighted ratings of up to at_most ranks after a post, and leaves those that another transaction holds. '
    'Returns the last post, null at the end.';
