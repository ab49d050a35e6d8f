create or replace function darkroom.enqueue_jobs(
    kind        text,
    subject_ids bigint[],
    fair_keys   text[],
    queue       text default 'default',
    priority    integer default 0,
    run_at      darkroom.moment default null,
    job_ids     bigint[] default null
) returns integer
language plpgsql set enable_seqscan = off set enable_mergejoin = off set jit = off as $$
#variable_conflict use_variable
declare
    in_lane smallint := darkroom.lane_of(queue, kind, priority);
    reached bigint := darkroom.virtual_time(in_lane);
    wait    darkroom.job_wait := darkroom.first_wait(in_lane, run_at);
    -- A job that is not ready gets its place in the lane when it is.
    no_slot bigint := case when wait is not null then 0 end;
    made    integer;
begin
    if subject_ids is null or fair_keys is null or array_position(fair_keys, null) is not null then
        raise exception using errcode = 'null_value_not_allowed',
            message = case when subject_ids is null then 'subject_ids is null'
                           when fair_keys is null then 'fair_keys is null'
                           else format('fair key %s of %s is null', array_position(fair_keys, null), cardinality(fair_keys)) end,
            hint = 'Give one key for all jobs, or one for each; none may be null.';
    end if;
    if cardinality(fair_keys) = 1 then
        -- With one key for all, there is no need to count by key.
        insert into darkroom.jobs (job_id, kind, lane, slot, subject_id, fair_key, fair_hash, run_at, waits_for)
        select coalesce(s.job_id, nextval('darkroom.jobs_job_id_seq')), kind, in_lane,
               coalesce(no_slot, k.first_slot + (s.number - 1) * k.stride), s.subject_id, fair_keys[1],
               k.hash, coalesce(run_at, now()), wait
        from (select darkroom.next_slot(in_lane, fair_keys[1]) as first_slot,
                     darkroom.slot_stride(fair_keys[1]) as stride,
                     hashtextextended(fair_keys[1], 0) as hash offset 0) k,
             unnest(subject_ids, job_ids) with ordinality as s (subject_id, job_id, number);
    else
        if cardinality(fair_keys) <> cardinality(subject_ids) then
            raise exception using errcode = 'invalid_parameter_value',
                message = format('%s fair keys for %s jobs', cardinality(fair_keys), cardinality(subject_ids)),
                hint = 'Give one key for all jobs, or one for each.';
        end if;
        insert into darkroom.jobs (job_id, kind, lane, slot, subject_id, fair_key, fair_hash, run_at, waits_for)
        select coalesce(s.job_id, nextval('darkroom.jobs_job_id_seq')), kind, in_lane,
               coalesce(no_slot, k.first_slot + (s.turn - 1) * k.stride), s.subject_id, s.fair_key, k.hash,
               coalesce(run_at, now()), wait
        from (select s.*, row_number() over (partition by s.fair_key order by s.number) as turn
              from unnest(subject_ids, fair_keys, job_ids)
                   with ordinality as s (subject_id, fair_key, job_id, number)) s
        join (select d.key, h.hash, darkroom.slot_stride(d.key) as stride,
                     coalesce((select j.slot + darkroom.slot_stride(d.key) from darkroom.jobs j
                               where j.lane = in_lane and j.fair_hash = h.hash and j.slot >= reached
                               order by j.slot desc limit 1), reached) as first_slot
              from (select distinct unnest(fair_keys) as key) d
              cross join lateral (select hashtextextended(d.key, 0) as hash) h offset 0) k on k.key = s.fair_key;
    end if;
    get diagnostics made = row_count;
    if run_at > now() then
        perform darkroom.announce_due(run_at);
    else
        perform darkroom.wake_workers(queue, kind);
    end if;
    return made;
end $$;
comment on function darkroom.enqueue_jobs is
    'Queues a job for every subject in one statement: thousands at once. fair_keys has one key for all or one for '
    'each. Returns how many jobs were queued. Errors: 22004 for a null key, '
    '22023 if the numbers of keys and subjects differ.';
