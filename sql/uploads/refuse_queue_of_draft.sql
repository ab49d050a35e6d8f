create or replace function darkroom.refuse_queue_of_draft(queue text, priority integer, run_at timestamptz) returns void
language plpgsql immutable as $$
declare
    rule constant text := 'draft_has_no_queue_priority_and_time_to_run';
begin
    if (queue, priority) is distinct from ('default', 0) or run_at is not null then
        raise exception using errcode = 'check_violation', constraint = rule, message = darkroom.rule_message(rule),
            hint = 'Give them to publish_draft when the draft is published.';
    end if;
end $$;
comment on function darkroom.refuse_queue_of_draft is
    'Raises 23514 for what is said of a draft''s job, which it has only once it is published.';
