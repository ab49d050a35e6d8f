create or replace function darkroom.erase_undecided(at_most integer default 1000) returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    due bigint[];
begin
    select array_agg(d.post_id) into due
    from (select p.post_id
          from darkroom.reviews r join darkroom.post_erasures e using (post_id) join darkroom.posts p using (post_id)
          where r.comment_id = 0 and e.erased_at is null
            and e.requested_at <= now() - make_interval(days => (select undecided_days from darkroom.settings))
          order by p.post_id limit at_most for no key update of p skip locked) d;
    delete from darkroom.removed_hashes h
    where h.post_id = any (due) and not exists (select from darkroom.removals x where x.post_id = h.post_id);
    delete from darkroom.reviews r where r.post_id = any (due);
    perform darkroom.queue_erasure(d) from unnest(due) d;
    return coalesce(cardinality(due), 0);
end $$;
comment on function darkroom.erase_undecided is
    'Queues the erasure of up to at_most posts that their uploaders deleted more than settings.undecided_days ago and on '
    'which nobody has decided since. Their reviews end without a decision. Returns how many.';
