-- May be called by: api
-- Example:
--   select darkroom.inbox_events('user-17')
create or replace function darkroom.inbox_events(person darkroom.person) returns text[]
language sql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
    select coalesce((select i.events from darkroom.inboxes i where i.person = inbox_events.person),
                    array['published', 'held', 'rejected', 'hidden', 'restored', 'removed', 'expired', 'corrected', 'liked',
                          'commented', 'comment_held', 'comment_hidden', 'comment_restored', 'comment_removed', 'appeal_answered',
                          'comment_appeal_answered'])
$$;
comment on function darkroom.inbox_events is
    'The events that a person wants to be told of in the inbox: all, if the person has chosen none with choose_inbox_events.';
