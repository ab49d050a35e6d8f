-- Weighed reports, and decisions that people and rules make and that nobody can change afterwards.

create function darkroom.refuse_change() returns trigger
language plpgsql as $$
begin
    raise exception using errcode = 'restrict_violation',
        message = format('%s is append only', tg_table_name),
        hint = 'Add a row; what was decided stays as it was.';
end $$;
comment on function darkroom.refuse_change is 'The trigger of tables whose rows are never changed nor deleted.';

-- The policy: what a report counts, what a post stands, what is held.
alter table darkroom.moderation_policies
    alter column hide_threshold type double precision,
    add column restore_share double precision not null default 0.5
        constraint restore_share_is_from_0_to_below_1 check (restore_share >= 0 and restore_share < 1),
    add column approved_factor double precision not null default 3
        constraint approved_factor_is_1_to_1000 check (approved_factor between 1 and 1000),
    add column hide_rate double precision not null default 0.0001
        constraint hide_rate_is_0_to_1 check (hide_rate between 0 and 1),
    add column report_lifetime interval not null default '180 days'
        constraint report_lifetime_is_positive check (report_lifetime > '0'),
    add column prior_agreed double precision not null default 2
        constraint prior_agreed_is_positive check (prior_agreed > 0),
    add column prior_disagreed double precision not null default 2
        constraint prior_disagreed_is_positive check (prior_disagreed > 0),
    add column record_floor double precision not null default 0.1
        constraint record_floor_is_0_to_1 check (record_floor between 0 and 1),
    add column record_ceiling double precision not null default 1.5
        constraint record_ceiling_is_1_to_100 check (record_ceiling between 1 and 100),
    add column new_account_weight double precision not null default 0.2
        constraint new_account_weight_is_0_to_1 check (new_account_weight between 0 and 1),
    add column account_half_life interval not null default '7 days'
        constraint account_half_life_is_positive check (account_half_life > '0'),
    add column mature_age interval not null default '30 days'
        constraint mature_age_is_not_negative check (mature_age >= '0'),
    add column burst_window interval not null default '10 minutes'
        constraint burst_window_is_not_negative check (burst_window >= '0'),
    add column cohort_window interval not null default '1 day'
        constraint cohort_window_is_not_negative check (cohort_window >= '0'),
    add column shared_posts integer not null default 3
        constraint shared_posts_is_positive check (shared_posts > 0),
    add column shared_share double precision not null default 0.5
        constraint shared_share_is_above_0_to_1 check (shared_share > 0 and shared_share <= 1),
    add column group_cap double precision not null default 2.5
        constraint group_cap_is_positive check (group_cap > 0),
    add column weight_explicit double precision not null default 1.5
        constraint weight_explicit_is_0_to_100 check (weight_explicit between 0 and 100),
    add column weight_violence double precision not null default 1.2
        constraint weight_violence_is_0_to_100 check (weight_violence between 0 and 100),
    add column weight_harassment double precision not null default 1
        constraint weight_harassment_is_0_to_100 check (weight_harassment between 0 and 100),
    add column weight_spam double precision not null default 1
        constraint weight_spam_is_0_to_100 check (weight_spam between 0 and 100),
    add column weight_private_information double precision not null default 1.5
        constraint weight_private_information_is_0_to_100 check (weight_private_information between 0 and 100),
    add column weight_illegal double precision not null default 2
        constraint weight_illegal_is_0_to_100 check (weight_illegal between 0 and 100),
    add column weight_other double precision not null default 0.5
        constraint weight_other_is_0_to_100 check (weight_other between 0 and 100),
    add column urgent_reasons darkroom.report_reason[] not null default '{illegal,explicit,private_information}',
    add column urgent_record double precision not null default 0.75
        constraint urgent_record_is_0_to_1 check (urgent_record between 0 and 1),
    add column removals_to_hold integer not null default 3
        constraint removals_to_hold_is_positive check (removals_to_hold > 0),
    add column removals_within interval not null default '90 days'
        constraint removals_within_is_positive check (removals_within > '0'),
    add column look_alike_distance integer not null default 6
        constraint look_alike_distance_is_0_to_7 check (look_alike_distance between 0 and 7),
    add column terms text not null default 'the rules of this service'
        constraint terms_is_1_to_2000_characters check (char_length(terms) between 1 and 2000),
    add column redress text not null default
        'You can appeal to us, free of charge, within six months; turn to a certified out-of-court dispute settlement body; or go to court.'
        constraint redress_is_1_to_2000_characters check (char_length(redress) between 1 and 2000);
comment on column darkroom.moderation_policies.hide_threshold is 'Score at which a post is hidden; the least that hide_rate may make of it.';
comment on column darkroom.moderation_policies.restore_share is 'A hidden post comes back by itself once its score is below this share of its threshold.';
comment on column darkroom.moderation_policies.approved_factor is 'The threshold of a post that a person approved is this many times as high.';
comment on column darkroom.moderation_policies.hide_rate is 'Score for every view: a post that many see needs as many more reports.';
comment on column darkroom.moderation_policies.report_lifetime is 'Reports older than this count nothing.';
comment on column darkroom.moderation_policies.prior_agreed is 'Reports that everybody is taken to have been right with beforehand; likewise prior_disagreed.';
comment on column darkroom.moderation_policies.record_floor is 'The least that a bad record leaves of a report; record_ceiling is the most that a good one makes of it.';
comment on column darkroom.moderation_policies.new_account_weight is 'What a report of an account counts that was never seen before; it grows to 1, half of the rest in every account_half_life.';
comment on column darkroom.moderation_policies.mature_age is 'Accounts of this age are not taken for a cohort.';
comment on column darkroom.moderation_policies.burst_window is 'Reports this close together, from accounts first seen within cohort_window of each other, are one burst and count as a group.';
comment on column darkroom.moderation_policies.shared_posts is 'Reporters that reported so many other posts together, and shared_share of all that either reported, count as a group.';
comment on column darkroom.moderation_policies.group_cap is 'The most that a group counts; below it, the root of the sum of its weights'' squares.';
comment on column darkroom.moderation_policies.urgent_reasons is 'Reasons for which one reporter hides a post until it is reviewed, given a record of urgent_record.';
comment on column darkroom.moderation_policies.removals_to_hold is 'Uploads of who had so many posts removed within removals_within are held for review.';
comment on column darkroom.moderation_policies.look_alike_distance is 'Photos whose perceptual hash differs in at most so many of 64 bits from a removed one are held for review.';
comment on column darkroom.moderation_policies.terms is 'What statements of reasons name as the contractual ground. redress is what they say of redress.';
create trigger moderation_policies_append_only before update or delete or truncate on darkroom.moderation_policies
    for each statement execute function darkroom.refuse_change();

create table darkroom.people (
    person        text primary key
                  constraint person_is_1_to_200_characters check (char_length(person) between 1 and 200),
    first_seen_at timestamptz not null default now(),
    agreed        integer not null default 0 constraint agreed_is_not_negative check (agreed >= 0),
    disagreed     integer not null default 0 constraint disagreed_is_not_negative check (disagreed >= 0),
    removals      integer not null default 0 constraint removals_is_not_negative check (removals >= 0),
    display_name  text constraint display_name_is_taken unique
                  constraint display_name_is_1_to_100_characters check (char_length(display_name) between 1 and 100)
) with (fillfactor = 80);
comment on table darkroom.people is
    'Uploaders and reporters by their opaque identifiers: since when they are known, and how reviews judged them.';
comment on column darkroom.people.agreed is 'Reports of theirs that reviews agreed with; disagreed: those they did not.';
comment on column darkroom.people.removals is 'Posts of theirs that stand removed.';
insert into darkroom.people (person, first_seen_at)
select person, min(seen_at)
from (select uploader, created_at from darkroom.uploads union all select reporter, created_at from darkroom.reports)
     as s (person, seen_at)
group by person;

create function darkroom.meet(person text, since timestamptz default null) returns darkroom.people
language plpgsql as $$
#variable_conflict use_variable
declare
    known darkroom.people;
begin
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
    'Makes a person known who is not, since the given time or now, and answers what is known. An earlier time than the known one replaces it.';

-- A report keeps what was known of its reporter when it was filed, so that it can be weighed again alike.
alter table darkroom.reports
    add column reporter_since     timestamptz,
    add column reporter_agreed    integer not null default 0,
    add column reporter_disagreed integer not null default 0,
    add column is_agreed          boolean,
    add column judged_by          bigint,
    -- Each report would lock its post's row, and those of one post would line up for its page.
    drop constraint reports_post_id_fkey;
comment on column darkroom.reports.is_agreed is 'Whether the review judged_by agreed with the report; null until one was made.';
create index reports_reporter on darkroom.reports (reporter, created_at desc);

create function darkroom.forget_reports() returns trigger
language plpgsql as $$
begin
    delete from darkroom.reports r using gone where r.post_id = gone.post_id;
    return null;
end $$;
comment on function darkroom.forget_reports is 'Deletes the reports of posts that were deleted.';
create trigger posts_forget_reports after delete on darkroom.posts
    referencing old table as gone for each statement execute function darkroom.forget_reports();

drop function darkroom.report_post(bigint, text, darkroom.report_reason, text);
create function darkroom.report_post(
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
    perform from darkroom.posts p where p.post_id = target;
    if not found then
        raise exception using errcode = 'no_data_found', message = format('there is no post %s', target);
    end if;
    -- Tells darkroom.reports_in_flight until this transaction has ended. The posts share 256 locks, so that
    -- a transaction of many reports cannot fill the server's table of them.
    perform pg_advisory_xact_lock_shared(20260113, (target & 255)::integer);
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
    'Files one report a reporter and post and has the post moderated. details is at most 2,000 characters; reporter_since is when the reporter''s account was made, by default when it was first seen here: accounts count less while they are new. False: this reporter had already reported it. Errors: P0002 where there is no such post, 23514 for a reporter or details out of range.';

create function darkroom.reports_in_flight(post_id bigint) returns boolean
language sql volatile as $$
    select case when pg_try_advisory_lock(20260113, (post_id & 255)::integer)
                then not pg_advisory_unlock(20260113, (post_id & 255)::integer) else true end
$$;
comment on function darkroom.reports_in_flight is
    'Whether a transaction is under way that files a report on the post, or on one that shares its lock. False: whoever looks now sees every report that did not enqueue a job of its own.';

create function darkroom.moderate_later(post_id bigint, delay interval) returns void
language plpgsql set enable_seqscan = off set jit = off set lock_timeout = '10ms' as $$
#variable_conflict use_variable
declare
    target  bigint := moderate_later.post_id;
    in_lane smallint := darkroom.lane_of('default', 'moderate', -10);
    keys    bigint[] := array[target, -target];
    key     bigint;
begin
    -- With the reporters' key, so that they need not have it moderated sooner. Where one of them is enqueueing under
    -- it and has yet to commit, which may take long or come to nothing, under a key of its own.
    foreach key in array keys loop
        begin
            insert into darkroom.jobs (
                kind, lane, slot, subject_id, fair_key, fair_hash, run_at, waits_for, is_paced, dedupe_key)
            values ('moderate', in_lane, darkroom.next_slot(in_lane, 'moderation'), target, 'moderation',
                    hashtextextended('moderation', 0), clock_timestamp() + delay,
                    coalesce(darkroom.first_wait(in_lane, null), 'time'), true, key)
            on conflict do nothing;
            return;
        exception when lock_not_available then
            -- The other key is only ever held by moderations, which end soon.
            perform set_config('lock_timeout', '0', true);
        end;
    end loop;
end $$;
comment on function darkroom.moderate_later is
    'Has the post moderated once more after a delay, unless that is to happen anyway.';

create function darkroom.audience(post_id bigint) returns bigint
language sql stable as $$
    select (to_jsonb(p) ->> 'views')::bigint from darkroom.posts p where p.post_id = audience.post_id
$$;
comment on function darkroom.audience is 'How often a post was viewed; null where that is not counted.';

-- Decisions outlive their posts.
alter table darkroom.moderation_decisions
    drop constraint moderation_decisions_post_id_fkey,
    drop constraint moderation_decisions_decision_check,
    add constraint decision_is_known
        check (decision in ('keep', 'hide', 'show', 'hold', 'approve', 'remove', 'restore')),
    add column cause text
        constraint cause_is_known check (cause in (
            'below_threshold', 'score', 'urgent_report', 'score_fell', 'waits_for_review', 'not_shown',
            'uploader_record', 'look_alike', 'review', 'appeal')),
    add column from_state darkroom.post_state,
    add column to_state darkroom.post_state,
    add column decider text,
    add column note text
        constraint note_is_at_most_5000_characters check (char_length(note) <= 5000),
    add column score double precision,
    add column threshold double precision,
    add column views bigint,
    add column similar_to bigint,
    add column similar_distance smallint,
    add column uploader_removals integer,
    add column ground text constraint ground_is_law_or_terms check (ground in ('law', 'terms')),
    add column ground_reference text
        constraint ground_reference_is_at_most_2000_characters check (char_length(ground_reference) <= 2000),
    add column appeal_id bigint,
    add constraint people_decide_by_name check (decision not in ('approve', 'remove', 'restore') or decider is not null);
comment on column darkroom.moderation_decisions.decider is 'Who decided; null: a rule.';
comment on column darkroom.moderation_decisions.similar_to is 'The removed post whose photo this one resembles, in all but similar_distance bits.';
comment on column darkroom.moderation_decisions.ground is 'What a removal rests on: the law, or the terms; ground_reference says which provision.';
create trigger moderation_decisions_append_only before update or delete or truncate on darkroom.moderation_decisions
    for each statement execute function darkroom.refuse_change();

create table darkroom.moderation_evidence (
    decision_id    bigint not null references darkroom.moderation_decisions,
    reporter       text not null,
    reason         darkroom.report_reason not null,
    reported_at    timestamptz not null,
    account_since  timestamptz not null,
    agreed         integer not null,
    disagreed      integer not null,
    record_weight  double precision not null,
    account_weight double precision not null,
    reason_weight  double precision not null,
    group_number   integer,
    counted        double precision not null,
    disregarded    text constraint disregarded_is_known check (disregarded in ('expired', 'before_approval')),
    primary key (decision_id, reporter)
);
comment on table darkroom.moderation_evidence is
    'What each report counted in a decision that changed a post''s state. counted is the product of the weights, after the discount of the group.';
create trigger moderation_evidence_append_only before update or delete or truncate on darkroom.moderation_evidence
    for each statement execute function darkroom.refuse_change();

create table darkroom.appeals (
    appeal_id   bigint generated always as identity primary key,
    post_id     bigint not null references darkroom.posts on delete cascade,
    uploader    text not null,
    text        text not null constraint appeal_is_1_to_5000_characters check (char_length(text) between 1 and 5000),
    created_at  timestamptz not null default clock_timestamp(),
    decision_id bigint references darkroom.moderation_decisions
);
comment on table darkroom.appeals is 'What uploaders say against decisions on their posts. decision_id is the answer; null while open.';
create unique index one_open_appeal_a_post on darkroom.appeals (post_id) where decision_id is null;

create table darkroom.reviews (
    post_id   bigint primary key references darkroom.posts on delete cascade,
    severity  smallint not null constraint severity_is_0_to_9 check (severity between 0 and 9),
    score     double precision not null,
    cause     text not null,
    appeal_id bigint references darkroom.appeals,
    opened_at timestamptz not null default clock_timestamp()
);
comment on table darkroom.reviews is 'Posts that wait for a person, in the order of the index reviews_order.';
insert into darkroom.reviews (post_id, severity, score, cause)
select post_id, 2, report_count, 'score' from darkroom.posts where state in ('held', 'hidden');
create index reviews_order on darkroom.reviews ((-severity), (-score), opened_at, post_id);

create function darkroom.appeal_post(post_id bigint, uploader text, text text) returns bigint
language plpgsql as $$
#variable_conflict use_variable
declare
    target bigint := appeal_post.post_id;
    stands darkroom.post_state;
    made   bigint;
begin
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
    'Puts a held, hidden or removed post back into the review list with what its uploader says (1 to 5,000 characters), and answers the appeal''s number. Errors: P0002 where this uploader has no such post, 55000 where nothing stands against it, 23505 (one_open_appeal_a_post) where an appeal is open.';

create function darkroom.judge_reports(of_post bigint, by_decision bigint, agrees boolean, undoing bigint default null)
returns integer
language plpgsql as $$
declare
    fresh  text[];
    undone text[];
begin
    with judged as (
        update darkroom.reports set is_agreed = agrees, judged_by = by_decision
        where post_id = of_post and judged_by = undoing and is_agreed <> agrees
        returning reporter)
    select coalesce(array_agg(reporter), '{}') into undone from judged;
    with judged as (
        update darkroom.reports set is_agreed = agrees, judged_by = by_decision
        where post_id = of_post and is_agreed is null
        returning reporter)
    select coalesce(array_agg(reporter), '{}') into fresh from judged;
    -- In one order, so that two reviews of posts with the same reporters wait for each other only one way.
    perform from darkroom.people where person = any (fresh || undone) order by person for no key update;
    update darkroom.people
    set agreed = agreed + case when agrees then 1 when person = any (undone) then -1 else 0 end,
        disagreed = disagreed + case when not agrees then 1 when person = any (undone) then -1 else 0 end
    where person = any (fresh || undone);
    return cardinality(fresh) + cardinality(undone);
end $$;
comment on function darkroom.judge_reports is
    'Counts the reports on a post that no review has judged into the records of their reporters, and turns those round that the decision undoing had judged otherwise. Answers how many.';

-- What stands removed; taken out again by a restoration.
create table darkroom.removals (
    post_id    bigint primary key,
    uploader   text not null,
    removed_at timestamptz not null default clock_timestamp()
);
comment on table darkroom.removals is 'Posts that reviews removed, as the record of their uploaders.';
create index removals_uploader on darkroom.removals (uploader, removed_at);

create table darkroom.removed_hashes (
    post_id bigint primary key,
    hash    bigint not null
);
comment on table darkroom.removed_hashes is 'Perceptual hashes of removed posts.';
create index removed_hashes_band_0 on darkroom.removed_hashes ((hash & 65535));
create index removed_hashes_band_1 on darkroom.removed_hashes ((hash >> 16 & 65535));
create index removed_hashes_band_2 on darkroom.removed_hashes ((hash >> 32 & 65535));
create index removed_hashes_band_3 on darkroom.removed_hashes ((hash >> 48 & 65535));

-- Multi-index hashing (Norouzi, Punjani, Fleet: Fast Search in Hamming Space, CVPR 2012): of two hashes that
-- differ in at most 3 bits, one of the four bands is the same; in at most 7 bits, one differs in at most one bit.
create function darkroom.similar_removed(hash bigint, distance integer)
returns table (post_id bigint, differing integer)
language plpgsql stable set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
    sought bigint := $1;
    most   integer := $2;
    flips  bigint[] := '{0}';
begin
    if most is null or most not between 0 and 7 then
        raise exception using errcode = 'invalid_parameter_value',
            message = format('distance %s is outside 0 to 7', coalesce(most::text, 'null'));
    end if;
    if most > 3 then
        flips := flips || array(select 1::bigint << bit from generate_series(0, 15) bit);
    end if;
    return query
        select h.post_id, bit_count((h.hash # sought)::bit(64))::integer
        from darkroom.removed_hashes h
        where ((h.hash & 65535) = any (array(select (sought & 65535) # f from unnest(flips) f))
               or (h.hash >> 16 & 65535) = any (array(select (sought >> 16 & 65535) # f from unnest(flips) f))
               or (h.hash >> 32 & 65535) = any (array(select (sought >> 32 & 65535) # f from unnest(flips) f))
               or (h.hash >> 48 & 65535) = any (array(select (sought >> 48 & 65535) # f from unnest(flips) f)))
          and bit_count((h.hash # sought)::bit(64)) <= most
        order by 2, 1;
end $$;
comment on function darkroom.similar_removed is
    'Removed posts whose photos'' perceptual hashes differ from the given one in at most distance bits, 0 to 7, the most alike first.';
