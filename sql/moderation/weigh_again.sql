create or replace function darkroom.weigh_again(at_most integer default 1000) returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    in_force integer := (select max(version) from darkroom.moderation_policies);
    made     integer;
begin
    with by_policy as materialized (
        select r.post_id, r.comment_id from darkroom.reviews r
        where r.cause in ('score', 'reported') and r.appeal_id is null and r.weighed_by < in_force
        order by r.weighed_by, r.post_id limit at_most for no key update skip locked),
    by_time as materialized (
        select r.post_id, r.comment_id from darkroom.reviews r
        where r.cause in ('score', 'reported') and r.appeal_id is null and r.weigh_at <= now() and r.weighed_by >= in_force
        order by r.weigh_at, r.post_id limit at_most - (select count(*) from by_policy) for no key update skip locked),
    due as (select * from by_policy union all select * from by_time),
    -- The moderation sets when it must be weighed next. If it fails permanently, this time applies.
    noted as (
        update darkroom.reviews r set weighed_by = in_force, weigh_at = now() + interval '1 hour'
        from due d where (r.post_id, r.comment_id) = (d.post_id, d.comment_id)),
    queued as (insert into darkroom.moderation_backlog (post_id, comment_id) select * from due returning 1)
    select count(*) into made from queued;
    return made;
end $$;
comment on function darkroom.weigh_again is
    'Queues the moderation of up to at_most posts and comments that only reports have listed, and whose reports may count something else '
    'by now: one has become older than report_lifetime, or the policy that weighed them is no longer in force. Returns how '
    'many.';
