create or replace function darkroom.prune_inbox(at_most integer default 1000) returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    removed integer;
begin
    delete from darkroom.inbox_entries e using (
        select o.person, o.subject_id, o.event from darkroom.inbox_entries o
        where o.occurred_at < now() - make_interval(days => (select inbox_days from darkroom.settings))
        order by o.occurred_at limit at_most for update skip locked) old
    where (e.person, e.subject_id, e.event) = (old.person, old.subject_id, old.event);
    get diagnostics removed = row_count;
    return removed;
end $$;
comment on function darkroom.prune_inbox is
    'Removes up to at_most entries of inboxes that are older than settings.inbox_days. Returns how many.';
