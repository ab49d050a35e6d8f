create or replace function darkroom.erase_leftovers(of_post bigint) returns void
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    gone bigint[] := '{}';
    more bigint[];
begin
    with erased as (
        delete from darkroom.comments where post_id = of_post and deleted_at is null returning comment_id)
    select gone || array_agg(comment_id) into gone from erased;
    with erased as (
        delete from darkroom.comments where post_id = of_post and deleted_at is not null returning comment_id)
    select array_agg(comment_id) into more from erased;
    delete from darkroom.comment_votes where comment_id = any (gone || more);
    delete from darkroom.votes where post_id = of_post;
    delete from darkroom.reports where post_id = of_post;
    delete from darkroom.counter_changes where post_id = of_post;
    delete from darkroom.post_counters where post_id = of_post;
end $$;
comment on function darkroom.erase_leftovers is
    'Deletes the votes, comments, reports and counters of a post. Called again after its erasure, for late ones.';
