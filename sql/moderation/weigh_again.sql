create or replace function darkroom.weigh_again(at_most integer default 1000) returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    in_force integer := (select max(version) from darkroom.moderation_policies);
    due      bigint[];
    late     bigint[];
begin
    select array_agg(d.post_id) into due
    from (select r.post_id from darkroom.reviews r
          where r.cause = 'score' and r.appeal_id is null and r.weighed_by < in_force
          order by r.weighed_by, r.post_id limit at_most for no key update skip locked) d;
    select array_agg(d.post_id) into late
    from (select r.post_id from darkroom.reviews r
          where r.cause = 'score' and r.appeal_id is null and r.weigh_at <= now() and r.post_id <> all (coalesce(due, '{}'))
          order by r.weigh_at, r.post_id limit at_most - coalesce(cardinality(due), 0)
          for no key update skip locked) d;
    due := due || late;
    -- The moderation writes when it is to be weighed next. Where it fails for good, it is tried again after this.
    update darkroom.reviews r set weighed_by = in_force, weigh_at = now() + interval '1 hour' where r.post_id = any (due);
    perform darkroom.moderate_later(d, '0') from unnest(due) d;
    return coalesce(cardinality(due), 0);
end $$;
comment on function darkroom.weigh_again is
    'Has up to at_most posts moderated that their reports have hidden and that may come back by themselves: because a'
    ' report has left the lifetime, or another policy is in force than they were weighed by. Answers how many.';
