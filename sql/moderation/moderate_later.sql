create or replace function darkroom.moderate_later(post_id bigint, delay interval) returns void
language plpgsql set enable_seqscan = off set jit = off set lock_timeout = '10ms' as $$
#variable_conflict use_variable
declare
    target  bigint := moderate_later.post_id;
    in_lane smallint := darkroom.lane_of('default', 'moderate', -10);
    keys    bigint[] := array[target, -target];
    key     bigint;
begin
    -- With the reporters' key, so that they need not have it moderated sooner. Where one of them is enqueueing under
    -- it and has yet to commit, which may take long or come to nothing, under a key of its own.
    foreach key in array keys loop
        begin
            insert into darkroom.jobs (
                kind, lane, slot, subject_id, fair_key, fair_hash, run_at, waits_for, is_paced, dedupe_key)
            values ('moderate', in_lane, darkroom.next_slot(in_lane, 'moderation'), target, 'moderation',
                    hashtextextended('moderation', 0), clock_timestamp() + delay,
                    coalesce(darkroom.first_wait(in_lane, null), 'time'), true, key)
            on conflict do nothing;
            return;
        exception when lock_not_available then
            -- The other key is only ever held by moderations, which end soon.
            perform set_config('lock_timeout', '0', true);
        end;
    end loop;
end $$;
comment on function darkroom.moderate_later is
    'Has the post moderated once more after a delay, unless that is to happen anyway.';
