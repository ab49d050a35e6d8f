create or replace function darkroom.prune_drafts(at_most integer default 1000) returns integer
language sql set enable_seqscan = off set jit = off as $$
    select darkroom.discard_drafts(array(
        select u.upload_id from darkroom.uploads u
        where u.is_draft and u.created_at < now() - make_interval(days => (select s.draft_days from darkroom.settings s))
        order by u.created_at limit at_most for update skip locked))
$$;
comment on function darkroom.prune_drafts is
    'Discards up to at_most drafts that were saved more than settings.draft_days ago. Returns how many.';
