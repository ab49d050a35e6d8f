-- What happened to posts, told to whoever wants to know: at least once, in order, whoever committed late.
--
-- event_id is taken before its transaction commits, so a reader that remembers the last event_id it saw would pass over
-- those that commit later. So events get their numbers for readers once they are committed, from one numberer at a time:
-- whatever it sees that has no number. An event of a post is written under the lock of the post's row, or after what
-- made the post visible had committed, so a numberer that sees one sees those before it, which have lower event_ids.

alter table darkroom.outbox add column number bigint;
create sequence darkroom.event_numbers as bigint;
comment on sequence darkroom.event_numbers is 'The last number that an event was given.';
comment on column darkroom.outbox.number is
    'The place in the order in which readers get events, without regard to when their transactions began; null until darkroom.number_events has seen it.';
create index outbox_unnumbered on darkroom.outbox (event_id) where number is null;
create unique index outbox_number on darkroom.outbox (number) where number is not null;
create index outbox_occurred on darkroom.outbox using brin (occurred_at);

alter table darkroom.settings
    add column event_days integer not null default 30
        constraint event_days_is_1_to_3650 check (event_days between 1 and 3650);
comment on column darkroom.settings.event_days is 'Whole days for which events are kept, read or not.';

create table darkroom.event_consumers (
    consumer text primary key
             constraint consumer_is_1_to_100_characters check (char_length(consumer) between 1 and 100),
    number   bigint not null default 0,
    acked_at timestamptz not null default clock_timestamp()
) with (fillfactor = 50);
comment on table darkroom.event_consumers is
    'Who reads events, and the number of the last one that each has dealt with.';

create function darkroom.number_events(at_most integer default 10000) returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    last  bigint;
    given integer;
begin
    -- The lock comes before the statement whose snapshot decides: whoever numbers next sees what this one numbered.
    perform pg_advisory_xact_lock(hashtextextended('darkroom.number_events', 0));
    last := coalesce(pg_sequence_last_value('darkroom.event_numbers'), 0);
    with fresh as (
        select o.event_id, row_number() over (order by o.event_id) as place
        from (select event_id from darkroom.outbox where number is null order by event_id limit at_most) o)
    update darkroom.outbox o set number = last + f.place from fresh f where o.event_id = f.event_id;
    get diagnostics given = row_count;
    if given > 0 then
        perform setval('darkroom.event_numbers', last + given);
    end if;
    return given;
end $$;
comment on function darkroom.number_events is
    'Gives up to at_most committed events their places in the order of reading. Answers how many. Called by the tally job; not by readers, whose transactions may take long and would hold up all others.';

-- Posts that come to be or cease to be seen, and comments, have the tally job run anyway.
create function darkroom.tally_unseen() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    perform darkroom.want_tally();
    return null;
end $$;
comment on function darkroom.tally_unseen is 'Has events of posts that nobody sees numbered soon.';
create trigger tally_unseen after insert on darkroom.outbox
    for each row when (new.event not in ('published', 'commented')) execute function darkroom.tally_unseen();

create type darkroom.post_event as (
    number bigint, event text, post_id bigint, comment_id bigint, occurred_at timestamptz);

create function darkroom.add_consumer(consumer text, is_from_start boolean default false) returns boolean
language plpgsql as $$
#variable_conflict use_variable
begin
    insert into darkroom.event_consumers (consumer, number)
    values (add_consumer.consumer,
            case when is_from_start then 0 else coalesce(pg_sequence_last_value('darkroom.event_numbers'), 0) end)
    on conflict do nothing;
    return found;
end $$;
comment on function darkroom.add_consumer is
    'Makes a reader of events known who is not: one that gets what happens from now on, or everything that is kept. False: it is known already.';

create function darkroom.read_events(consumer text, at_most integer default 100) returns setof darkroom.post_event
language plpgsql rows 100 set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    wanted integer := least(1000, greatest(1, coalesce(at_most, 100)));
    last   bigint;
begin
    -- Two that read for one consumer and acknowledge in the transaction of the reading take turns.
    select c.number into last from darkroom.event_consumers c where c.consumer = read_events.consumer for update;
    if not found then
        perform darkroom.add_consumer(consumer);
        return;
    end if;
    return query
        select o.number, o.event, o.post_id, o.comment_id, o.occurred_at
        from darkroom.outbox o where o.number > last order by o.number limit wanted;
end $$;
comment on function darkroom.read_events is
    'The events after those that a consumer has acknowledged, oldest first, 1 to 1,000 at a time: the same again until ack_events is called. A consumer is any name of 1 to 100 characters; the first call makes it known and gives it what happens from then on. Of one post, events come in the order in which they happened. A consumer that falls behind by more than settings.event_days misses what was removed meanwhile.';

create function darkroom.ack_events(consumer text, up_to bigint) returns boolean
language plpgsql set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
begin
    if up_to > coalesce(pg_sequence_last_value('darkroom.event_numbers'), 0) then
        raise exception using errcode = 'invalid_parameter_value',
            message = format('there is no event %s yet', up_to),
            hint = 'Acknowledge the number of an event that read_events answered.';
    end if;
    update darkroom.event_consumers c set number = up_to, acked_at = clock_timestamp()
    where c.consumer = ack_events.consumer and c.number < up_to;
    return found;
end $$;
comment on function darkroom.ack_events is
    'Says that a consumer has dealt with all events up to a number, which read_events answered. False: it had said so before, or is not known. Errors: 22023 for a number that no event has reached.';

create function darkroom.tell_of_events() returns integer
language plpgsql as $$
declare
    fresh integer := darkroom.number_events();
begin
    if fresh > 0 and exists (select from darkroom.event_consumers) then
        perform pg_notify('darkroom.events', '');
    end if;
    return fresh;
end $$;
comment on function darkroom.tell_of_events is
    'Numbers the events there are and wakes their readers. For the tally job: writers never notify, since notifying locks all commits of the server for a moment.';

create function darkroom.prune_events(at_most integer default 10000) returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    removed integer;
begin
    with old as (
        select o.event_id from darkroom.outbox o
        where o.number is not null and o.occurred_at < now() - make_interval(days => (select event_days from darkroom.settings))
        order by o.number limit at_most for update skip locked)
    delete from darkroom.outbox o using old where o.event_id = old.event_id;
    get diagnostics removed = row_count;
    return removed;
end $$;
comment on function darkroom.prune_events is
    'Removes up to at_most events that are older than settings.event_days, whoever has read them. Answers how many.';

-- What is there already comes in the order in which it was written.
do $$ begin while darkroom.number_events() > 0 loop end loop; end $$;
