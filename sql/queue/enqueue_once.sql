create or replace function darkroom.enqueue_once(
    kind       text,
    subject_id bigint,
    fair_key   text,
    dedupe_key bigint,
    queue      text default 'default',
    priority   integer default 0
) returns bigint
language plpgsql set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    in_lane smallint := darkroom.lane_of(queue, kind, priority);
    wait    darkroom.job_wait := darkroom.first_wait(in_lane, null);
    new_job bigint;
begin
    insert into darkroom.jobs (kind, lane, slot, subject_id, fair_key, fair_hash, waits_for, dedupe_key)
    values (kind, in_lane, case when wait is null then darkroom.next_slot(in_lane, fair_key) else 0 end, subject_id, fair_key,
            hashtextextended(fair_key, 0), wait, dedupe_key)
    on conflict do nothing
    returning jobs.job_id into new_job;
    if found then
        perform darkroom.wake_workers(queue, kind);
    end if;
    return new_job;
end $$;
comment on function darkroom.enqueue_once is
    'Queues one job and returns its number. Queues nothing and returns null if a job of its kind with the same '
    'dedupe_key has yet to be claimed for the first time.';
