create or replace function darkroom.review_outcome(
    decision text, state darkroom.post_state, is_appealed boolean default false, is_over boolean default false,
    is_listed boolean default false, is_leaving boolean default false, is_removed boolean default false,
    is_undecided boolean default false
) returns darkroom.post_state
language sql immutable as $$
    select case
        when decision = 'approve' and state in ('held', 'hidden') then
            case when is_over then 'expired' else 'published' end::darkroom.post_state
        -- Its reports are answered, and nothing changes.
        when decision = 'approve' and state in ('published', 'expired') and is_listed then state
        when decision = 'approve' and state = 'removed' and is_undecided then state
        when decision = 'remove' and (state in ('held', 'hidden', 'published') or state = 'expired' and is_listed) then 'removed'
        when decision = 'remove' and state = 'removed'
             and (is_undecided or is_appealed and (is_removed or not is_leaving)) then state
        when decision = 'restore' and state = 'removed' and not is_leaving then
            case when is_over then 'expired' else 'published' end::darkroom.post_state
    end
$$;
comment on function darkroom.review_outcome is
    'The state of a post after a decision (approve, remove or restore); null if the decision does not apply. A post that would '
    'become visible after its time is over expires at once. is_leaving: its erasure is ordered; is_removed: a removal stands; '
    'is_undecided: its erasure waits for a decision, and whatever that is, the post stays removed.';
