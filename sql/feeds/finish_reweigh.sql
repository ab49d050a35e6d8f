create or replace function darkroom.finish_reweigh() returns boolean
language plpgsql set jit = off as $$
begin
    update darkroom.rating_averages a set is_applied = true
    where not exists (
        select from darkroom.ranks r
        where r.weighted is distinct from darkroom.weighted_rating(r.likes, r.dislikes, a.average_rating, a.average_votes));
    return found;
end $$;
comment on function darkroom.finish_reweigh is
    'Ends the rewriting of the weighted ratings. Returns false if any rank has yet to be rewritten.';
