-- The generic cell rate algorithm (ITU-T I.371): next_at is the theoretical arrival time of a key's next job.
create or replace function darkroom.paced_start(
    of_key     bigint,
    per_minute double precision,
    burst      integer,
    turn       integer,
    moment     timestamptz,
    out start_at timestamptz,
    out next_at  timestamptz)
language plpgsql stable set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    pace constant interval := make_interval(secs => 60 / per_minute);
    due  timestamptz := (select p.next_at from darkroom.fair_key_paces p where p.fair_hash = of_key);
begin
    -- No start is planned more than two seconds ahead. So a later time comes from a lower rate, or from another clock, and
    -- says nothing.
    if due > moment + interval '2 seconds' + burst * pace then
        due := moment;
    end if;
    due := greatest(moment, due) + (turn - 1) * pace;
    start_at := due - (burst - 1) * pace;
    next_at := due + pace;
end $$;
comment on function darkroom.paced_start is
    'When the job of a fair key (its hash) that is the turn-th from now may start under a rate, and the key''s next_at in '
    'fair_key_paces once it has.';
