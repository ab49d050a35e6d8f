-- Reports that cannot harm the moderation of a post, hidden posts that come back without another report, and refusals that
-- tell only what the caller gave.

-- Ages of accounts. What is infinite, or before anybody had an account, cannot be weighed.

create or replace function darkroom.meet(person text, since timestamptz default null) returns darkroom.people
language plpgsql as $$
#variable_conflict use_variable
declare
    known darkroom.people;
begin
    -- Clocks of apps may be some hours out.
    if not isfinite(since) or since < '1970-01-01 00:00:00+00' or since > now() + interval '1 day' then
        raise exception using errcode = 'invalid_parameter_value',
            message = format('an account cannot have been made at %s', since),
            hint = 'Give a time from 1970 to now, or leave it out where you do not know it.';
    end if;
    select * into known from darkroom.people p where p.person = meet.person;
    if not found then
        insert into darkroom.people (person, first_seen_at) values (person, least(since, now()))
        on conflict do nothing returning * into known;
        if not found then
            select * into known from darkroom.people p where p.person = meet.person;
        end if;
    end if;
    if since < known.first_seen_at then
        update darkroom.people p set first_seen_at = least(p.first_seen_at, since)
        where p.person = meet.person returning * into known;
    end if;
    return known;
end $$;
comment on function darkroom.meet is
    'Makes a person known who is not, since the given time or now, and answers what is known. An earlier time than the known one replaces it. Errors: 22023 for a time before 1970, more than a day from now, or infinite.';

-- From here on nobody can add another such row; those that are there get the time by which they are known otherwise.
alter table darkroom.people
    add constraint first_seen_at_is_a_time_from_1970_on
        check (isfinite(first_seen_at) and first_seen_at >= '1970-01-01 00:00:00+00') not valid;
alter table darkroom.reports
    add constraint reporter_since_is_a_time_from_1970_on
        check (isfinite(reporter_since) and reporter_since >= '1970-01-01 00:00:00+00') not valid;
update darkroom.people p
set first_seen_at = least(
    now(), (select min(r.created_at) from darkroom.reports r where r.reporter = p.person),
    (select min(u.created_at) from darkroom.uploads u where u.uploader = p.person))
where not isfinite(p.first_seen_at) or p.first_seen_at < '1970-01-01 00:00:00+00';
do $$
declare
    mended bigint[];
begin
    with changed as (
        update darkroom.reports r
        set reporter_since = least(r.created_at, (select p.first_seen_at from darkroom.people p where p.person = r.reporter))
        where not isfinite(r.reporter_since) or r.reporter_since < '1970-01-01 00:00:00+00'
        returning r.post_id)
    select array_agg(distinct c.post_id) into mended from changed c;
    -- Their moderations have failed.
    perform darkroom.enqueue_once('moderate', m, 'moderation', m, 'default', -10) from unnest(mended) m;
end $$;
alter table darkroom.people validate constraint first_seen_at_is_a_time_from_1970_on;
alter table darkroom.reports validate constraint reporter_since_is_a_time_from_1970_on;

-- Refusals. What is missing is said here rather than by the tables, whose messages show the whole row.

create or replace function darkroom.report_post(
    post_id        bigint,
    reporter       text,
    reason         darkroom.report_reason,
    details        text default null,
    reporter_since timestamptz default null
) returns boolean
language plpgsql set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    target bigint := report_post.post_id;
    known  darkroom.people;
begin
    if target is null or reporter is null or reason is null then
        raise exception using errcode = 'not_null_violation',
            message = format('a report needs a %s', case when target is null then 'post' when reporter is null then 'reporter'
                                                         else 'reason' end),
            hint = 'Give post_id, reporter and reason.';
    elsif char_length(reporter) not between 1 and 200 then
        raise exception using errcode = 'check_violation', constraint = 'reporter_is_1_to_200_characters',
            message = format('the reporter has %s characters', char_length(reporter)), hint = 'Give 1 to 200.';
    -- Refused here rather than by the table, whose message would show the reporter's record.
    elsif char_length(details) > 2000 then
        raise exception using errcode = 'check_violation', constraint = 'details_is_at_most_2000_characters',
            message = format('the details have %s characters', char_length(details)), hint = 'Give at most 2000.';
    end if;
    -- Tells darkroom.reports_in_flight until this transaction has ended. The posts share 256 locks, so that
    -- a transaction of many reports cannot fill the server's table of them.
    perform pg_advisory_xact_lock_shared(20260113, (target & 255)::integer);
    perform from darkroom.posts p where p.post_id = target;
    if not found then
        raise exception using errcode = 'no_data_found', message = format('there is no post %s', target);
    end if;
    known := darkroom.meet(reporter, reporter_since);
    insert into darkroom.reports (
        post_id, reporter, reason, details, reporter_since, reporter_agreed, reporter_disagreed)
    values (target, reporter, reason, details, known.first_seen_at, known.agreed, known.disagreed)
    on conflict do nothing;
    if not found then
        return false;
    end if;
    perform darkroom.enqueue_once('moderate', target, 'moderation', target, 'default', -10);
    return true;
end $$;
comment on function darkroom.report_post is
    'Files one report a reporter and post and has the post moderated. details is at most 2,000 characters; reporter_since is when the reporter''s account was made, by default when it was first seen here: accounts count less while they are new. False: this reporter had already reported it. Errors: P0002 where there is no such post, 22023 for a reporter_since before 1970, more than a day from now, or infinite, 23502 for none of a post, reporter or reason, 23514 for a reporter (1 to 200 characters) or details out of range.';

create or replace function darkroom.appeal_post(post_id bigint, uploader text, text text) returns bigint
language plpgsql as $$
#variable_conflict use_variable
declare
    target bigint := appeal_post.post_id;
    stands darkroom.post_state;
    made   bigint;
begin
    if text is null then
        raise exception using errcode = 'not_null_violation', message = 'an appeal needs a text',
            hint = 'Give what the uploader says, 1 to 5,000 characters.';
    elsif char_length(text) not between 1 and 5000 then
        raise exception using errcode = 'check_violation', constraint = 'appeal_is_1_to_5000_characters',
            message = format('the appeal has %s characters', char_length(text)), hint = 'Give 1 to 5,000.';
    end if;
    -- Reviews take the same lock.
    select p.state into stands from darkroom.posts p
    where p.post_id = target and p.uploader = appeal_post.uploader for no key update;
    if not found then
        raise exception using errcode = 'no_data_found',
            message = format('this uploader has no post %s', target);
    elsif stands not in ('held', 'hidden', 'removed') then
        raise exception using errcode = 'object_not_in_prerequisite_state',
            message = format('post %s is %s: there is nothing to appeal against', target, stands);
    end if;
    -- A statement of its own: it sees the deletion that was waited for.
    if exists (select from darkroom.post_erasures e where e.post_id = target)
       and not exists (select from darkroom.removals r where r.post_id = target)
    then
        raise exception using errcode = 'object_not_in_prerequisite_state',
            message = format('post %s was deleted, not removed: there is nothing to appeal against', target),
            hint = 'The photo can be uploaded again.';
    end if;
    insert into darkroom.appeals (post_id, uploader, text) values (target, uploader, text)
    on conflict do nothing returning appeal_id into made;
    if not found then
        raise exception using errcode = 'unique_violation', constraint = 'one_open_appeal_a_post',
            message = format('an appeal for post %s is open already', target),
            hint = 'Wait for the decision on it.';
    end if;
    insert into darkroom.reviews as r (post_id, severity, score, cause, appeal_id)
    values (target, 2, 0, 'appeal', made)
    on conflict on constraint reviews_pkey do update set appeal_id = excluded.appeal_id;
    return made;
end $$;
comment on function darkroom.appeal_post is
    'Puts a held, hidden or removed post back into the review list with what its uploader says (1 to 5,000 characters), and answers the appeal''s number. Errors: P0002 where this uploader has no such post, 55000 where nothing stands against it, as where its uploader has deleted it, 23505 (one_open_appeal_a_post) where an appeal is open, 23502 for no text, 23514 for one out of range.';

create or replace function darkroom.add_consumer(consumer text, is_from_start boolean default false) returns boolean
language plpgsql as $$
#variable_conflict use_variable
begin
    if consumer is null then
        raise exception using errcode = 'not_null_violation', message = 'a consumer needs a name',
            hint = 'Give 1 to 100 characters.';
    elsif char_length(consumer) not between 1 and 100 then
        raise exception using errcode = 'check_violation', constraint = 'consumer_is_1_to_100_characters',
            message = format('the consumer''s name has %s characters', char_length(consumer)), hint = 'Give 1 to 100.';
    end if;
    insert into darkroom.event_consumers (consumer, number)
    values (add_consumer.consumer,
            case when is_from_start then 0 else coalesce(pg_sequence_last_value('darkroom.event_numbers'), 0) end)
    on conflict do nothing;
    return found;
end $$;

create or replace function darkroom.erase_person(person text, requested_by text default null) returns bigint
language plpgsql set enable_seqscan = off as $$
#variable_conflict use_variable
declare
    made bigint;
begin
    if person is null then
        raise exception using errcode = 'not_null_violation', message = 'an erasure needs a person',
            hint = 'Give the identifier that the person''s photos and votes came with.';
    elsif char_length(person) not between 1 and 200 then
        raise exception using errcode = 'check_violation', constraint = 'person_is_1_to_200_characters',
            message = format('the person has %s characters', char_length(person)), hint = 'Give 1 to 200.';
    elsif person = '*' then
        raise exception using errcode = 'check_violation', constraint = 'person_is_not_the_star_of_all_keys',
            message = '* stands for everybody''s limits and is no person', hint = 'Give a person''s identifier.';
    end if;
    insert into darkroom.person_erasures (person, requested_by) values (person, requested_by)
    on conflict do nothing returning erasure_id into made;
    if not found then
        select e.erasure_id into made from darkroom.person_erasures e where e.person = erase_person.person;
    end if;
    perform darkroom.enqueue_once('erase_person', made, 'erasure', made, 'default', -5);
    return made;
end $$;

-- Hidden posts come back by themselves when reports on them have left the lifetime, or another policy weighs them less. No
-- report comes in then, so these are found here.

alter table darkroom.reviews
    add column weighed_by integer not null default 0,
    add column weigh_at timestamptz;
comment on column darkroom.reviews.weighed_by is
    'The policy by which the reports on the post were last weighed, or are about to be; 0 for one of an older release.';
comment on column darkroom.reviews.weigh_at is
    'When the next report on the post leaves the lifetime; null where none will.';
-- Only what the reports' score has hidden, and nobody has appealed against, comes back without a person.
create index reviews_weighed_by on darkroom.reviews (weighed_by, post_id) where cause = 'score' and appeal_id is null;
create index reviews_weigh_at on darkroom.reviews (weigh_at, post_id) where cause = 'score' and appeal_id is null;

create function darkroom.weigh_again(at_most integer default 1000) returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    in_force integer := (select max(version) from darkroom.moderation_policies);
    due      bigint[];
    late     bigint[];
begin
    select array_agg(d.post_id) into due
    from (select r.post_id from darkroom.reviews r
          where r.cause = 'score' and r.appeal_id is null and r.weighed_by < in_force
          order by r.weighed_by, r.post_id limit at_most for no key update skip locked) d;
    select array_agg(d.post_id) into late
    from (select r.post_id from darkroom.reviews r
          where r.cause = 'score' and r.appeal_id is null and r.weigh_at <= now() and r.post_id <> all (coalesce(due, '{}'))
          order by r.weigh_at, r.post_id limit at_most - coalesce(cardinality(due), 0)
          for no key update skip locked) d;
    due := due || late;
    -- The moderation writes when it is to be weighed next. Where it fails for good, it is tried again after this.
    update darkroom.reviews r set weighed_by = in_force, weigh_at = now() + interval '1 hour' where r.post_id = any (due);
    perform darkroom.moderate_later(d, '0') from unnest(due) d;
    return coalesce(cardinality(due), 0);
end $$;
comment on function darkroom.weigh_again is
    'Has up to at_most posts moderated that their reports have hidden and that may come back by themselves: because a report has left the lifetime, or another policy is in force than they were weighed by. Answers how many.';

select darkroom.grant_roles();
