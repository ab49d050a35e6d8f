create or replace function darkroom.weigh_again(at_most integer default 1000) returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    in_force integer := (select max(version) from darkroom.moderation_policies);
    due      bigint[];
    late     bigint[];
begin
    select array_agg(d.post_id) into due
    from (select r.post_id from darkroom.reviews r
          where r.cause in ('score', 'reported') and r.appeal_id is null and r.weighed_by < in_force
          order by r.weighed_by, r.post_id limit at_most for no key update skip locked) d;
    select array_agg(d.post_id) into late
    from (select r.post_id from darkroom.reviews r
          where r.cause in ('score', 'reported') and r.appeal_id is null and r.weigh_at <= now() and r.post_id <> all (coalesce(due, '{}'))
          order by r.weigh_at, r.post_id limit at_most - coalesce(cardinality(due), 0)
          for no key update skip locked) d;
    due := due || late;
    -- The moderation sets when the post must be weighed next. If it fails permanently, this time applies.
    update darkroom.reviews r set weighed_by = in_force, weigh_at = now() + interval '1 hour' where r.post_id = any (due);
    insert into darkroom.moderation_backlog (post_id) select unnest(due);
    return coalesce(cardinality(due), 0);
end $$;
comment on function darkroom.weigh_again is
    'Queues the moderation of up to at_most posts that only reports have listed, and whose reports may count something else '
    'by now: one has become older than report_lifetime, or the policy that weighed them is no longer in force. Returns how '
    'many.';
