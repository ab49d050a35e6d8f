create or replace function darkroom.reweigh(from_post bigint, at_most integer default 1000) returns bigint
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    last_post bigint;
begin
    select max(b.post_id) into last_post
    from (select r.post_id from darkroom.ranks r where r.post_id > from_post order by r.post_id limit at_most) b;
    with late as (
        select r.post_id, w.weighted
        from darkroom.ranks r, darkroom.rating_averages a,
             lateral (select darkroom.weighted_rating(r.likes, r.dislikes, a.average_rating, a.average_votes) as weighted) w
        where r.post_id > from_post and r.post_id <= last_post and r.weighted is distinct from w.weighted
        order by r.post_id for no key update of r skip locked)
    update darkroom.ranks r set weighted = l.weighted from late l where r.post_id = l.post_id;
    return last_post;
end $$;
comment on function darkroom.reweigh is
    'Rewrites the weighted ratings of up to at_most ranks after a post, and leaves those that another transaction holds. '
    'Returns the last post, null at the end.';
