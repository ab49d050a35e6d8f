create or replace function darkroom.reports_in_flight(post_id bigint) returns boolean
language sql as $$
    select case when pg_try_advisory_lock(20260113, (post_id & 255)::integer)
                then not pg_advisory_unlock(20260113, (post_id & 255)::integer) else true end
$$;
comment on function darkroom.reports_in_flight is
    'Whether an open transaction is filing a report on the post, or on a post that shares its lock. If false, the next '
    'statement sees every report that did not queue its own job.';
