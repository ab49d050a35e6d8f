create or replace function darkroom.moderate_later(post_id bigint, delay interval) returns void
language plpgsql set enable_seqscan = off set jit = off set lock_timeout = '10ms' as $$
#variable_conflict use_variable
declare
    target  bigint := moderate_later.post_id;
    in_lane smallint := darkroom.lane_of('default', 'moderate', -10);
    keys    bigint[] := array[target, -target];
    key     bigint;
begin
    -- Uses the key of reports, so that reports until then do not queue the post again. If a report's transaction holds
    -- that key and has not committed, which may take long or be rolled back, uses a separate key.
    foreach key in array keys loop
        begin
            insert into darkroom.jobs (
                kind, lane, slot, subject_id, fair_key, fair_hash, run_at, waits_for, is_paced, dedupe_key)
            values ('moderate', in_lane, 0, target, 'moderation',
                    hashtextextended('moderation', 0), clock_timestamp() + delay,
                    coalesce(darkroom.first_wait(in_lane, null), 'time'), true, key)
            on conflict do nothing;
            return;
        exception when lock_not_available then
            -- Only moderations use the other key, and they end soon.
            perform set_config('lock_timeout', '0', true);
        end;
    end loop;
end $$;
comment on function darkroom.moderate_later is
    'Queues another moderation of the post after a delay, unless one is queued already.';
