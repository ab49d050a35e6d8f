-- The averages move slowly; ranks that were weighted by older ones are rewritten only when the change is visible.
create or replace function darkroom.recompute_averages() returns boolean
language plpgsql set jit = off as $$
declare
    rating  double precision;
    votes   double precision;
begin
    select avg(r.likes::float8 / (r.likes + r.dislikes)), avg(r.likes + r.dislikes) into rating, votes
    from darkroom.ranks r;
    if rating is null then
        return false;
    end if;
    update darkroom.rating_averages a
    set average_rating = rating, average_votes = votes, computed_at = now()
    where abs(a.average_rating - rating) > 0.001 or abs(a.average_votes - votes) > 0.01 * greatest(a.average_votes, 1);
    return found;
end $$;
comment on function darkroom.recompute_averages is
    'Computes the averages of all ranked posts again. Returns true if they moved by more than 0.001 of rating or 1 % '
    'of votes: then reweigh must rewrite the weighted ratings.';
