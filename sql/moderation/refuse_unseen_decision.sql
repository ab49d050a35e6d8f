create or replace function darkroom.refuse_unseen_decision(
    what text, moderator text, seen bigint, latest bigint, latest_decider text, latest_at timestamptz) returns void
language plpgsql as $$
declare
    ago interval := clock_timestamp() - latest_at;
    seconds integer := greatest(0, floor(extract(epoch from ago)));
begin
    if latest_decider <> moderator and coalesce(latest > seen, ago < interval '300 seconds') then
        raise exception using errcode = 'object_in_use', constraint = 'nobody_decided_meanwhile',
            message = format('%s was decided by %s %s s ago', what, latest_decider, seconds),
            detail = format('%s %s %s', latest, seconds, latest_decider),
            hint = format('Look again, and pass seen => %s to decide anyway.', latest);
    end if;
end $$;
comment on function darkroom.refuse_unseen_decision is
    'Refuses a decision on what another moderator has decided after the decision that this one has seen, or, without seen, within five '
    'minutes. Errors: 55006 (nobody_decided_meanwhile).';
