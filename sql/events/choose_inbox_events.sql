-- May be called by: api
-- Example:
--   select darkroom.choose_inbox_events('user-17', events => array['commented', 'rejected'])
create or replace function darkroom.choose_inbox_events(person darkroom.person, events text[] default null) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    known constant text[] := darkroom.inbox_events(null);
    wanted text[];
begin
    if person is null then perform darkroom.missing('person'); end if;
    if cardinality(events) > 100 or array_ndims(events) > 1 or array_position(events, null) is not null or not events <@ known then
        raise exception using errcode = 'invalid_parameter_value', message = 'an inbox has no such event',
            hint = format('Give some of %s, or null for all.', array_to_string(known, ', '));
    end if;
    wanted := case when events is not null then array(select k from unnest(known) k where k = any (events)) end;
    insert into darkroom.inboxes as i (person, events) values (person, wanted)
    on conflict on constraint inboxes_pkey do update set events = excluded.events where i.events is distinct from excluded.events;
end $$;
comment on function darkroom.choose_inbox_events is
    'Sets which events a person is told of in the inbox from now on: some of published, held, rejected, hidden, restored, '
    'removed, expired, corrected, liked, commented, comment_held, comment_hidden, comment_restored, comment_removed, appeal_answered and comment_appeal_answered; an empty array for none, null for all. What is in '
    'the inbox stays. Errors: 22023 for another event, 23502 for a missing person, 23514 for a person out of range (1 to '
    '200 characters).';
