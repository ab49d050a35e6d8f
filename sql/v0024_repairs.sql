-- What reading posts, feeds, moderation and erasure as a whole has found: races, and rows that were left behind.

-- Between the tally's last look and this one, whoever had counted on the tally may have ended. Such changes lay there
-- until somebody else voted, or the schedule came.
create or replace function darkroom.want_tally_after(start bigint) returns void
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    -- Numbers of transactions are unique for the server, so those of other databases are left out by their sessions.
    is_awaited boolean := pg_snapshot_xmin(pg_current_snapshot())::text::bigint < start and exists (
        select from pg_locks l join pg_stat_activity a using (pid)
        where l.locktype = 'transactionid' and l.mode = 'ExclusiveLock' and l.granted
          and a.datid = (select oid from pg_database where datname = current_database())
          and l.transactionid::text::bigint < (start & 4294967295));
begin
    -- A statement of its own: it sees what those have left that were not under way any more just now.
    if is_awaited or exists (select from darkroom.counter_changes) or exists (select from darkroom.map_changes)
       or exists (select from darkroom.outbox where number is null)
    then
        perform darkroom.want_tally();
    end if;
end $$;
comment on function darkroom.want_tally_after is
    'Queues another tally where there is something to count again, or a transaction of this database that began before start, the first number that was free then, is still under way.';

-- The lock on the post's row of the feed lets a tally and a change of the post follow each other: else a post that is
-- just being hidden would keep a rank for good, and one that is moved could get one by counters of before.
create or replace function darkroom.rank_post(target bigint) returns void
language plpgsql set enable_seqscan = off set jit = off as $$
begin
    perform from darkroom.feed f where f.post_id = target for no key update;
    insert into darkroom.ranks as r (
        post_id, published_at, expires_at, position, tile, wide_tile, place, category, event, likes, dislikes,
        wilson, weighted, magnitude, hot)
    select f.post_id, f.published_at, f.expires_at, f.position, f.tile, f.wide_tile, f.place, f.category, f.event,
           c.likes, c.dislikes,
           darkroom.wilson_score(c.likes, c.dislikes),
           darkroom.weighted_rating(c.likes, c.dislikes, a.average_rating, a.average_votes),
           darkroom.vote_magnitude(c.likes, c.dislikes),
           darkroom.vote_magnitude(c.likes, c.dislikes) + darkroom.age_magnitude(f.published_at)
    from darkroom.feed f join darkroom.post_counters c using (post_id), darkroom.rating_averages a
    where f.post_id = target and c.likes + c.dislikes > 0
    on conflict (post_id) do update set
        published_at = excluded.published_at, expires_at = excluded.expires_at, position = excluded.position,
        tile = excluded.tile, wide_tile = excluded.wide_tile, place = excluded.place, category = excluded.category,
        event = excluded.event, likes = excluded.likes, dislikes = excluded.dislikes, wilson = excluded.wilson, weighted = excluded.weighted,
        magnitude = excluded.magnitude, hot = excluded.hot;
    if not found then
        delete from darkroom.ranks where post_id = target;
    end if;
end $$;
comment on function darkroom.rank_post is 'Reckons a post''s row in ranks from the feed and its counters; none where it is not seen or has no votes.';
-- What such meetings have left so far.
delete from darkroom.ranks r where not exists (select from darkroom.feed f where f.post_id = r.post_id);
do $$
begin
    perform darkroom.rank_post(r.post_id)
    from darkroom.ranks r join darkroom.post_counters c using (post_id)
    where (r.likes, r.dislikes) <> (c.likes, c.dislikes);
end $$;

-- Days and months of a lifetime are those of UTC, whatever the time zone of the session that asks.
create or replace function darkroom.expiry_for(category text, event text, published_at timestamptz) returns timestamptz
language sql stable as $$
    select least((published_at at time zone 'UTC' + p.lifetime) at time zone 'UTC',
                 case when p.ends_with_event then (
                     select e.ends_at from darkroom.events e where e.event = expiry_for.event) end)
    from darkroom.expiry_policies p
    where (p.event is null or p.event = expiry_for.event)
      and (p.category is null or p.category = expiry_for.category)
    order by p.event is null, p.category is null, p.version desc limit 1
$$;
comment on function darkroom.expiry_for is
    'When a post published at a time expires by the policy in force for its category and event; null for never. Days and months are those of UTC.';

-- A post that was being published while the end of its event moved kept the old end: now one waits for the other.
create or replace function darkroom.set_expiry() returns trigger
language plpgsql as $$
begin
    if tg_op = 'UPDATE' then
        new.expires_at := darkroom.expiry_for(new.category, new.event, new.published_at);
    elsif new.expires_at is null then
        if new.event is not null then
            perform pg_advisory_xact_lock_shared(hashtextextended(new.event, 20260124));
        end if;
        -- A statement of its own: it sees the end that was waited for.
        new.expires_at := darkroom.expiry_for(new.category, new.event, new.published_at);
    end if;
    return new;
end $$;
comment on function darkroom.set_expiry is
    'The trigger that sets when a post expires at its publishing, which for one that was held is its approval.';

create or replace function darkroom.move_event_end() returns trigger
language plpgsql set enable_seqscan = off as $$
declare
    one bigint;
begin
    perform pg_advisory_xact_lock(hashtextextended(new.event, 20260124));
    -- By number, as tallies take the posts' rows of the feed too; each as it stands once its lock is had.
    for one in
        select p.post_id from darkroom.posts p
        where p.event = new.event and p.state in ('published', 'held', 'hidden') order by p.post_id
    loop
        update darkroom.posts p set expires_at = darkroom.expiry_for(p.category, p.event, p.published_at)
        where p.post_id = one and p.state in ('published', 'held', 'hidden')
          and p.expires_at is distinct from darkroom.expiry_for(p.category, p.event, p.published_at);
    end loop;
    return null;
end $$;
comment on function darkroom.move_event_end is
    'The trigger by which posts of an event whose end is set or moved expire by the policy in force now.';

create or replace function darkroom.expire_posts(at_most integer default 1000) returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    due bigint[];
    one bigint;
begin
    select array_agg(d.post_id order by d.expires_at, d.post_id) into due
    from (select p.post_id, p.expires_at from darkroom.posts p
          where p.state in ('published', 'hidden') and p.expires_at is not null and p.expires_at <= now()
            -- A person is still to decide on those in the review list.
            and not exists (select from darkroom.reviews r where r.post_id = p.post_id)
          order by p.expires_at, p.post_id limit at_most for no key update of p skip locked) d;
    -- By number, as tallies take the posts' rows of the feed too: else each could wait for the other.
    for one in select u from unnest(due) u order by u loop
        update darkroom.posts p set state = 'expired' where p.post_id = one;
    end loop;
    insert into darkroom.outbox (post_id, event)
    select u.post_id, 'expired' from unnest(due) with ordinality as u (post_id, place) order by u.place;
    return coalesce(cardinality(due), 0);
end $$;
comment on function darkroom.expire_posts is
    'Ends up to at_most posts whose time is over, with their events in the order of their times. Answers how many.';

-- A post whose time is over is not seen any more, be the expire job late or not: nor are its comments, and nobody votes.
create or replace function darkroom.is_visible(post_id bigint) returns boolean
language sql stable as $$
    select exists (select from darkroom.posts p
                   where p.post_id = is_visible.post_id and p.state = 'published'
                     and (p.expires_at is null or p.expires_at > now()))
$$;
comment on function darkroom.is_visible is 'Whether readers see a post.';

-- Erasure of persons. What the steps before the record erase was given a pseudonym by the record where it had come, or
-- been passed over, meanwhile: so it stayed, and the order was finished. Now only what has to stay gets a pseudonym, and the
-- order goes on until the rest is erased.

create index moderation_evidence_reporter on darkroom.moderation_evidence (reporter);

create or replace function darkroom.erase_person_post(of_erasure bigint) returns boolean
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    whom text := darkroom.erased_person(of_erasure);
    one  bigint;
begin
    select p.post_id into one from darkroom.posts p where p.uploader = whom order by p.post_id desc limit 1;
    if not found then
        return false;
    end if;
    if darkroom.erase_post_rows(one, of_erasure) then
        update darkroom.person_erasures set posts = posts + 1, uploads = uploads + 1 where erasure_id = of_erasure;
    else
        -- Its own erasure was under way and has just ended. What that leaves goes with the person.
        update darkroom.post_erasures set cause = 'person' where post_id = one;
        update darkroom.moderation_decisions set note = null where post_id = one and note is not null;
        perform darkroom.retire_media(
            array(select m.media_key from darkroom.retired_media m where m.post_id = one), now(), one, of_erasure);
    end if;
    return true;
end $$;
comment on function darkroom.erase_person_post is 'Erases one post of a person. False: there was none left.';

create or replace function darkroom.erase_person_record(of_erasure bigint) returns void
language plpgsql set jit = off as $$
declare
    whom    text := darkroom.erased_person(of_erasure);
    alias   text := (select pseudonym from darkroom.person_erasures where erasure_id = of_erasure);
    theirs  bigint[];
    n       integer;
    one     record;
begin
    -- Who has come back since this was last done may have reported the same posts again.
    delete from darkroom.reports r using darkroom.reports o
    where r.reporter = whom and o.post_id = r.post_id and o.reporter = alias;
    if exists (select from darkroom.moderation_evidence e join darkroom.moderation_evidence o using (decision_id)
               where e.reporter = whom and o.reporter = alias)
    then
        update darkroom.person_erasures set pseudonym = 'erased-' || gen_random_uuid() where erasure_id = of_erasure
        returning pseudonym into alias;
    end if;

    update darkroom.reports set details = null, reporter = alias where reporter = whom;
    get diagnostics n = row_count;
    update darkroom.person_erasures set reports = reports + n where erasure_id = of_erasure;

    update darkroom.moderation_evidence set reporter = alias where reporter = whom;
    get diagnostics n = row_count;
    update darkroom.person_erasures set decisions = decisions + n where erasure_id = of_erasure;

    -- What messages say may quote what the person wrote.
    update darkroom.finished_jobs
    set fair_key = alias, message = null, cause = null, verdict = null where fair_key = whom and kind = 'ingest';
    get diagnostics n = row_count;
    update darkroom.person_erasures set history = history + n where erasure_id = of_erasure;
    theirs := array(select job_id from darkroom.finished_jobs where fair_key = alias);
    update darkroom.job_attempts set message = null, cause = null, verdict = null where job_id = any (theirs);
    update darkroom.replays set message = null, why = null where job_id = any (theirs);

    delete from darkroom.removed_hashes h using darkroom.removals r where r.uploader = whom and h.post_id = r.post_id;
    delete from darkroom.removals where uploader = whom;
    delete from darkroom.people where person = whom;
    delete from darkroom.fair_keys where fair_key = whom;
    delete from darkroom.fair_key_paces where fair_hash = hashtextextended(whom, 0);
    update darkroom.person_erasures set requested_by = 'the person' where requested_by = whom;

    for one in
        select c.of_table, c.of_column from darkroom.person_columns() c
        -- What there is of the person in these was not there yet when it was erased: it is no one else's to keep.
        where c.of_table <> all (array[
            'darkroom.posts', 'darkroom.feed', 'darkroom.uploads', 'darkroom.jobs', 'darkroom.votes',
            'darkroom.comments', 'darkroom.comment_votes', 'darkroom.people', 'darkroom.removals',
            'darkroom.fair_keys']::regclass[])
    loop
        execute format('update %s set %I = $1 where %I = $2', one.of_table, one.of_column, one.of_column)
        using alias, whom;
    end loop;
end $$;
comment on function darkroom.erase_person_record is
    'Erases what is known of a person by name, and puts a pseudonym where something has to stay. What the other steps erase it leaves to them.';

create or replace function darkroom.finish_person_erasure(of_erasure bigint) returns boolean
language plpgsql set enable_seqscan = off as $$
declare
    whom text;
begin
    select e.person into whom from darkroom.person_erasures e where e.erasure_id = of_erasure for update;
    if whom is null then
        return true;
    end if;
    -- Posts have uploads.
    if exists (select from darkroom.retired_media m where m.erasure_id = of_erasure)
       or exists (select from darkroom.uploads u where u.uploader = whom)
       or exists (select from darkroom.votes v where v.voter = whom)
       or exists (select from darkroom.comment_votes v where v.voter = whom)
       or exists (select from darkroom.comments c where c.author = whom)
       or exists (select from darkroom.reports r where r.reporter = whom)
       or exists (select from darkroom.moderation_evidence e where e.reporter = whom)
       or exists (select from darkroom.removals r where r.uploader = whom)
       or exists (select from darkroom.people p where p.person = whom)
    then
        return false;
    end if;
    update darkroom.person_erasures
    set state = 'finished', person = null, pseudonym = null, finished_at = clock_timestamp()
    where erasure_id = of_erasure;
    return true;
end $$;
comment on function darkroom.finish_person_erasure is
    'Ends an erasure and forgets whose it was. False: something of the person is there still, or again.';

-- What is done to a post or comment while it is erased. Whoever votes on a comment holds its row, together with others who
-- do: the erasure waits for them and then sees their votes.

create or replace function darkroom.vote_on_comment(comment_id bigint, voter text, vote darkroom.vote default null) returns boolean
language plpgsql set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    target  bigint := comment_id;
    person  text := voter;
    wanted  darkroom.vote := vote;
    earlier darkroom.vote;
    of_post bigint;
begin
    select c.post_id into of_post from darkroom.comments c where c.comment_id = target and c.deleted_at is null
    for key share;
    if not found or not darkroom.is_visible(of_post) then
        raise exception using errcode = 'no_data_found', message = format('there is no comment %s to vote on', target);
    end if;
    insert into darkroom.comment_votes as v (comment_id, voter, vote) select target, person, wanted
    where wanted is not null
    on conflict do nothing;
    if not found then
        select v.vote into earlier from darkroom.comment_votes v
        where v.comment_id = target and v.voter = person for update;
        if not found or earlier is not distinct from wanted then
            return false;
        end if;
        update darkroom.comment_votes v set vote = wanted, changed_at = clock_timestamp()
        where v.comment_id = target and v.voter = person;
    end if;
    insert into darkroom.counter_changes (post_id, comment_id, likes, dislikes)
    values (of_post, target, coalesce((wanted = 'like')::int, 0) - coalesce((earlier = 'like')::int, 0),
            coalesce((wanted = 'dislike')::int, 0) - coalesce((earlier = 'dislike')::int, 0));
    perform darkroom.want_tally();
    return true;
end $$;

create or replace function darkroom.erase_leftovers(of_post bigint) returns void
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    gone bigint[] := '{}';
    more bigint[];
begin
    with erased as (
        delete from darkroom.comments where post_id = of_post and deleted_at is null returning comment_id)
    select gone || array_agg(comment_id) into gone from erased;
    with erased as (
        delete from darkroom.comments where post_id = of_post and deleted_at is not null returning comment_id)
    select array_agg(comment_id) into more from erased;
    delete from darkroom.comment_votes where comment_id = any (gone || more);
    delete from darkroom.votes where post_id = of_post;
    delete from darkroom.reports where post_id = of_post;
    delete from darkroom.counter_changes where post_id = of_post;
    delete from darkroom.post_counters where post_id = of_post;
end $$;
comment on function darkroom.erase_leftovers is
    'Deletes what people did with a post. Called once more after its erasure, for those who were at it meanwhile.';

create or replace function darkroom.erase_person_reactions(of_erasure bigint, at_most integer default 1000) returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    whom      text := darkroom.erased_person(of_erasure);
    by_votes  integer;
    by_votes2 integer;
    written   integer;
    theirs    bigint[];
begin
    -- Comments come before votes on them, in the order in which voters take them.
    with gone as (
        delete from darkroom.comments c
        where c.comment_id in (select o.comment_id from darkroom.comments o where o.author = whom limit at_most)
        returning c.comment_id, c.post_id, c.deleted_at),
    counted as (
        insert into darkroom.counter_changes (post_id, comments)
        select post_id, -1 from gone where deleted_at is null)
    select count(*), array_agg(comment_id) into written, theirs from gone;
    delete from darkroom.comment_votes v where v.comment_id = any (theirs);
    with gone as (
        delete from darkroom.votes v
        where (v.post_id, v.voter) in (
            select o.post_id, o.voter from darkroom.votes o where o.voter = whom limit at_most)
        returning v.post_id, v.vote),
    counted as (
        insert into darkroom.counter_changes (post_id, likes, dislikes)
        select post_id, -(vote = 'like')::int, -(vote = 'dislike')::int from gone where vote is not null)
    select count(*) into by_votes from gone;
    with gone as (
        delete from darkroom.comment_votes v
        where (v.comment_id, v.voter) in (
            select o.comment_id, o.voter from darkroom.comment_votes o where o.voter = whom limit at_most)
        returning v.comment_id, v.vote),
    counted as (
        insert into darkroom.counter_changes (post_id, comment_id, likes, dislikes)
        select c.post_id, g.comment_id, -(g.vote = 'like')::int, -(g.vote = 'dislike')::int
        from gone g join darkroom.comments c using (comment_id) where g.vote is not null)
    select count(*) into by_votes2 from gone;
    if by_votes + by_votes2 + written > 0 then
        update darkroom.person_erasures set votes = votes + by_votes + by_votes2, comments = comments + written
        where erasure_id = of_erasure;
        perform darkroom.want_tally();
    end if;
    return by_votes + by_votes2 + written;
end $$;
comment on function darkroom.erase_person_reactions is
    'Erases up to at_most each of a person''s votes and comments, and takes them out of the counters. Answers how many.';

-- The post is looked for once its erasure, where there is one, has ended: else a report could be left on none.
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
    -- Refused here rather than by the table, whose message would show the reporter's record.
    if char_length(details) > 2000 then
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

-- Votes on comments that such a race has left.
delete from darkroom.comment_votes v where not exists (select from darkroom.comments c where c.comment_id = v.comment_id);

-- As the other policies: posts name the version that they were published under.
create trigger location_policies_append_only before update or delete or truncate on darkroom.location_policies
    for each statement execute function darkroom.refuse_change();

-- Cursors. Fifteen digits, to which some drivers set their sessions, are too few for a time in microseconds.
alter function darkroom.show_posts(bigint[], double precision[], double precision[]) set extra_float_digits = 1;

create or replace function darkroom.cursor_key(after text) returns double precision language plpgsql stable as $$
declare
    key double precision;
begin
    if after is null then return null; end if;
    if after ~ '^-?[0-9]{1,20}([.][0-9]{1,20})?(e([+]?[0-9]{1,2}|-[0-9]{1,2}))?~[0-9]{1,18}$' then
        key := split_part(after, '~', 1)::float8;
    end if;
    -- No score comes near it, and a time in microseconds does after the year 8000.
    if key is null or abs(key) > 2e17 then perform darkroom.bad_cursor(after); end if;
    return key;
end $$;

-- Numbers that are too large are taken as the nearest, as it is said of them.

create or replace function darkroom.count_views(post_ids bigint[], views integer[] default null) returns void
language plpgsql set jit = off as $$
#variable_conflict use_variable
begin
    insert into darkroom.counter_changes (post_id, views)
    select s.post_id, least(sum(greatest(least(coalesce(s.views, 1), 1000000), 0)), 2147483647)
    from unnest(post_ids, views) as s (post_id, views)
    where exists (select from darkroom.posts p where p.post_id = s.post_id)
    group by s.post_id;
    perform darkroom.want_tally();
end $$;

create or replace function darkroom.map_zoom(zoom integer) returns integer language sql immutable as $$
    select least(20, greatest(2, coalesce(zoom, 2)::bigint + 2))::integer
$$;

-- A job's key is that of its first wait only: a re-rendering that ran, or is to be tried again, lost its original.
create or replace function darkroom.retire_originals(
    after_time timestamptz, after_upload bigint, at_most integer default 1000,
    out seen integer, out retired integer, out last_time timestamptz, out last_upload bigint)
language plpgsql set enable_seqscan = off set enable_sort = off set enable_hashjoin = off set enable_mergejoin = off
set jit = off as $$
begin
    with page as materialized (
        select u.upload_id, u.job_id, u.original_key, u.created_at
        from darkroom.uploads u
        where u.original_erased_at is null and (u.created_at, u.upload_id) > (after_time, after_upload)
          and u.created_at < now() - make_interval(days => (select original_days from darkroom.settings))
        order by u.created_at, u.upload_id limit at_most),
    rerendered as materialized (
        select o.upload_id from darkroom.jobs j join darkroom.posts o on o.post_id = j.subject_id
        where j.lane = any (array(select l.lane from darkroom.lanes l where l.kind = 'rerender'))
          and j.fair_hash = hashtextextended('rerender', 0)),
    free as (
        update darkroom.uploads u set original_erased_at = now()
        from page p
        where u.upload_id = p.upload_id
          and not exists (select from darkroom.jobs j where j.job_id = p.job_id)
          -- A failed job can be replayed for as long as it is in history.
          and not exists (select from darkroom.finished_jobs f where f.job_id = p.job_id and f.state = 'failed')
          and p.upload_id <> all (array(select r.upload_id from rerendered r))
        returning u.original_key),
    kept as (
        select darkroom.retire_media(array_agg(f.original_key)) from free f having count(*) > 0)
    select (select count(*) from page), (select count(*) from free), l.created_at, l.upload_id
    into seen, retired, last_time, last_upload
    from (select count(*) from kept) k
    left join (select p.created_at, p.upload_id from page p
               order by p.created_at desc, p.upload_id desc limit 1) l on true;
end $$;
comment on function darkroom.retire_originals is
    'Ends the keeping of originals that are older than settings.original_days, going through at most so many uploads from a position on; seen is 0 at the end. Kept are those whose job is unfinished or failed, and those of a re-rendering that is unfinished.';

-- Functions that were replaced run as their callers until this gives them the owner's rights again.
select darkroom.grant_roles();
