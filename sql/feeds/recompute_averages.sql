-- The averages stay as they are until one has moved much, so that the pages of a board fit each other. A sample of a hundred
-- thousand ranks is enough to notice.
create or replace function darkroom.recompute_averages() returns void
language plpgsql set jit = off as $$
declare
    -- Of ranks: of all posts, most may have no votes, and each tally calls this while few have any.
    percent constant double precision := (
        select least(100, 1e7 / greatest(c.reltuples, 1)) from pg_catalog.pg_class c where c.oid = 'darkroom.ranks'::regclass);
    posts   double precision := (select count(*) from (select from darkroom.feed limit 20001) f);
    rating  double precision;
    votes   double precision;
begin
    if posts > 20000 then
        posts := (select c.reltuples from pg_catalog.pg_class c where c.oid = 'darkroom.feed'::regclass);
        -- Nobody has counted them since the table was restored.
        if posts < 0 then
            return;
        end if;
        posts := greatest(posts, 20001);
    end if;
    select (sum(r.likes) - sum(r.dislikes)) * 100 / percent / posts, (sum(r.likes) + sum(r.dislikes)) * 100 / percent / posts
    into rating, votes from darkroom.ranks r tablesample system (percent);
    update darkroom.rating_averages a set average_rating = rating, average_votes = votes
    where abs(a.average_rating - rating) > 0.5 * greatest(abs(a.average_rating), 0.1) or votes > 1.5 * a.average_votes or votes < a.average_votes / 1.5;
    update darkroom.rating_averages set computed_at = now();
end $$;
comment on function darkroom.recompute_averages is
    'Computes the mean lead in likes and the mean number of votes of the posts that readers see, from a sample of those with votes, '
    'and uses them if one of them has moved by half.';
