create or replace function darkroom.prune_removals(at_most integer default 1000) returns integer
language plpgsql set enable_seqscan = off set jit = off set lock_timeout = '2s' as $$
declare
    gone  bigint[];
    whose text[];
begin
    select array_agg(d.post_id), array_agg(d.uploader) into gone, whose
    from (select r.post_id, r.uploader from darkroom.removals r
          where r.removed_at < now() - greatest(
                    make_interval(days => (select record_days from darkroom.settings)),
                    (select p.removals_within from darkroom.moderation_policies p order by p.version desc limit 1))
            and r.is_settled and not exists (select from darkroom.posts p where p.post_id = r.post_id)
          order by r.removed_at limit at_most for update skip locked) d;
    delete from darkroom.removed_hashes where post_id = any (gone);
    delete from darkroom.removals where post_id = any (gone);
    perform from darkroom.people p where p.person = any (whose) order by p.person for no key update;
    update darkroom.people p set removals = greatest(0, p.removals - w.posts)
    from (select u as person, count(*) as posts from unnest(whose) u group by u) w where p.person = w.person;
    return coalesce(cardinality(gone), 0);
end $$;
comment on function darkroom.prune_removals is
    'Takes up to at_most removals off their uploaders'' records, with the photos'' hashes: those older than '
    'settings.record_days, and than the policy''s removals_within, whose posts are erased. Returns how many.';
