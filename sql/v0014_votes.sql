-- What people do with posts: votes, comments and views.
--
-- None of it writes to a row that others write to as well: a vote is a row of its own, and what it changes in the
-- counters is appended to counter_changes, from where the tally job adds it up. Nor does any of it refer to posts by
-- a foreign key, since that would lock the post's row; whether the post can be seen is looked up instead.

create type darkroom.vote as enum ('like', 'dislike');

create function darkroom.is_plain_text(content text, lines boolean default false) returns boolean
language sql immutable parallel safe
-- Parsed here rather than by whoever calls it, whose settings say what a backslash means.
return case when lines then content !~ '[\u0001-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u2028\u2029\u202D\u202E]'
                else content !~ '[\u0001-\u001F\u007F-\u009F\u2028\u2029\u202D\u202E]' end
       and content ~ '[^\s\u00A0\u200B-\u200F\u2060\uFEFF]';
comment on function darkroom.is_plain_text is
    'Whether a text can be shown as it is: no control characters (where lines says so, line feeds, carriage returns and tabs are taken), no characters that turn the direction of what follows, and not blank.';

create table darkroom.votes (
    post_id    bigint not null,
    voter      text not null
               constraint voter_is_1_to_200_characters check (char_length(voter) between 1 and 200),
    vote       darkroom.vote,
    voted_at   timestamptz not null default now(),
    changed_at timestamptz not null default now(),
    primary key (post_id, voter)
);
comment on table darkroom.votes is
    'One row a person and post. vote is null once it was taken back; voted_at is when the person first voted, changed_at when last.';
create index votes_voter on darkroom.votes (voter, changed_at desc);

create table darkroom.comments (
    comment_id bigint generated always as identity primary key,
    post_id    bigint not null,
    author     text not null
               constraint author_is_1_to_200_characters check (char_length(author) between 1 and 200),
    body       text not null
               constraint comment_is_1_to_2000_characters check (char_length(body) between 1 and 2000)
               constraint comment_has_no_control_characters check (darkroom.is_plain_text(body, true)),
    likes      integer not null default 0,
    dislikes   integer not null default 0,
    created_at timestamptz not null default now(),
    deleted_at timestamptz
) with (fillfactor = 80);
comment on table darkroom.comments is
    'What people wrote under posts. likes and dislikes are those that were tallied.';
create index comments_post on darkroom.comments (post_id, comment_id desc) where deleted_at is null;
create index comments_author on darkroom.comments (author, comment_id desc);

create table darkroom.comment_votes (
    comment_id bigint not null,
    voter      text not null
               constraint voter_is_1_to_200_characters check (char_length(voter) between 1 and 200),
    vote       darkroom.vote,
    voted_at   timestamptz not null default now(),
    changed_at timestamptz not null default now(),
    primary key (comment_id, voter)
);
comment on table darkroom.comment_votes is 'One row a person and comment, as darkroom.votes for posts.';
create index comment_votes_voter on darkroom.comment_votes (voter, changed_at desc);

create table darkroom.post_counters (
    post_id  bigint primary key,
    likes    integer not null default 0,
    dislikes integer not null default 0,
    comments integer not null default 0,
    views    bigint not null default 0
) with (fillfactor = 70);
comment on table darkroom.post_counters is
    'What was tallied of each post; no row for a post that nothing happened to. With what counter_changes holds it equals the votes and comments at any moment.';

create table darkroom.counter_changes (
    change_id  bigint generated always as identity primary key,
    post_id    bigint not null,
    comment_id bigint,
    likes      smallint not null default 0,
    dislikes   smallint not null default 0,
    comments   smallint not null default 0,
    views      integer not null default 0
) with (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0);
comment on table darkroom.counter_changes is
    'What is to be added to the counters: of a comment where comment_id says so, else of the post. The tally job removes what it has added.';
create index counter_changes_post on darkroom.counter_changes (post_id);

-- A tally that is queued starts after what is committed by then. One that has started looks at its end for
-- transactions that are older than itself and have not ended, and has another follow if there are any; so a change
-- can be left only by the one who failed to queue a job, and the schedule comes every five minutes.
create function darkroom.want_tally() returns void
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    of_lane smallint;
begin
    if exists (select from darkroom.jobs j where j.kind = 'tally' and j.dedupe_key = 0) then
        return;
    end if;
    -- Whoever queues the job may take long to commit: the others do not wait for that.
    if not pg_try_advisory_xact_lock(hashtextextended('darkroom.want_tally', 0)) then
        return;
    end if;
    of_lane := darkroom.lane_of('default', 'tally', -20);
    insert into darkroom.jobs (
        kind, lane, slot, subject_id, fair_key, fair_hash, run_at, waits_for, is_paced, dedupe_key)
    values ('tally', of_lane, darkroom.next_slot(of_lane, 'tally'), 0, 'tally', hashtextextended('tally', 0),
            clock_timestamp() + interval '0.5 seconds', 'time', true, 0)
    on conflict do nothing;
    perform darkroom.wake_workers();
end $$;
comment on function darkroom.want_tally is
    'Queues the job that adds up what has changed, half a second from now so that many changes share it, unless it is queued.';

create function darkroom.want_tally_after(start bigint) returns void
language plpgsql set jit = off as $$
begin
    -- Numbers of transactions are unique for the server, so those of other databases are left out by their sessions.
    if pg_snapshot_xmin(pg_current_snapshot())::text::bigint < start and exists (
        select from pg_locks l join pg_stat_activity a using (pid)
        where l.locktype = 'transactionid' and l.mode = 'ExclusiveLock' and l.granted
          and a.datid = (select oid from pg_database where datname = current_database())
          and l.transactionid::text::bigint < (start & 4294967295))
    then
        perform darkroom.want_tally();
    end if;
end $$;
comment on function darkroom.want_tally_after is
    'Queues another tally where a transaction of this database that began before start, the first number that was free then, is still under way.';

select darkroom.lane_of('default', 'tally', -20), darkroom.lane_of('default', 'reweigh', 50);
insert into darkroom.schedules (name, cron, kind, priority) values ('tally', '*/5 * * * *', 'tally', -20);

create function darkroom.is_visible(post_id bigint) returns boolean
language sql stable as $$
    select exists (select from darkroom.posts p where p.post_id = is_visible.post_id and p.state = 'published')
$$;
comment on function darkroom.is_visible is 'Whether readers see a post.';

create function darkroom.vote_on_post(post_id bigint, voter text, vote darkroom.vote default null) returns boolean
language plpgsql set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    target  bigint := post_id;
    person  text := voter;
    wanted  darkroom.vote := vote;
    earlier darkroom.vote;
    is_new  boolean;
begin
    if not darkroom.is_visible(target) then
        raise exception using errcode = 'no_data_found', message = format('there is no post %s to vote on', target),
            hint = 'It may have been hidden, removed or expired since it was shown.';
    end if;
    insert into darkroom.votes as v (post_id, voter, vote) select target, person, wanted where wanted is not null
    on conflict do nothing;
    is_new := found;
    if not is_new then
        -- The lock makes two votes of one person follow each other.
        select v.vote into earlier from darkroom.votes v where v.post_id = target and v.voter = person for update;
        if not found or earlier is not distinct from wanted then
            return false;
        end if;
        update darkroom.votes v set vote = wanted, changed_at = clock_timestamp()
        where v.post_id = target and v.voter = person;
    end if;
    insert into darkroom.counter_changes (post_id, likes, dislikes)
    values (target, coalesce((wanted = 'like')::int, 0) - coalesce((earlier = 'like')::int, 0),
            coalesce((wanted = 'dislike')::int, 0) - coalesce((earlier = 'dislike')::int, 0));
    perform darkroom.want_tally();
    return true;
end $$;
comment on function darkroom.vote_on_post is
    'Sets a person''s vote on a post that can be seen: like, dislike, or null to take it back. Answers whether that changed anything. Feeds and boards show it within a second or two, post_details at once. Errors: P0002 where no such post can be seen, 23514 for a voter that is not of 1 to 200 characters.';

create function darkroom.add_comment(post_id bigint, author text, body text) returns bigint
language plpgsql set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    target  bigint := post_id;
    writer  text := author;
    content text := normalize(replace(body, E'\r\n', E'\n'), nfc);
    made    bigint;
begin
    if not darkroom.is_visible(target) then
        raise exception using errcode = 'no_data_found', message = format('there is no post %s to comment on', target),
            hint = 'It may have been hidden, removed or expired since it was shown.';
    end if;
    insert into darkroom.comments as c (post_id, author, body) values (target, writer, content)
    returning c.comment_id into made;
    insert into darkroom.counter_changes (post_id, comments) values (target, 1);
    insert into darkroom.outbox (post_id, event, comment_id) values (target, 'commented', made);
    perform darkroom.want_tally();
    return made;
end $$;
comment on function darkroom.add_comment is
    'Writes a comment of 1 to 2,000 characters under a post that can be seen and answers its number. It may have several lines and no control characters; it is kept in Unicode''s normal form C. Errors: P0002 where no such post can be seen, 23514 for a text or author out of range.';

create function darkroom.delete_comment(comment_id bigint, author text) returns boolean
language plpgsql set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    target bigint := comment_id;
    writer text := author;
    of_post bigint;
begin
    update darkroom.comments c set deleted_at = now(), body = '-'
    where c.comment_id = target and c.author = writer and c.deleted_at is null
    returning c.post_id into of_post;
    if not found then
        return false;
    end if;
    insert into darkroom.counter_changes (post_id, comments) values (of_post, -1);
    perform darkroom.want_tally();
    return true;
end $$;
comment on function darkroom.delete_comment is
    'Deletes a comment for its author, with its text. False: there is no such comment of this author.';

create function darkroom.vote_on_comment(comment_id bigint, voter text, vote darkroom.vote default null) returns boolean
language plpgsql set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    target  bigint := comment_id;
    person  text := voter;
    wanted  darkroom.vote := vote;
    earlier darkroom.vote;
    of_post bigint;
begin
    select c.post_id into of_post from darkroom.comments c where c.comment_id = target and c.deleted_at is null;
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
comment on function darkroom.vote_on_comment is
    'Sets a person''s vote on a comment of a post that can be seen: like, dislike, or null to take it back. Answers whether that changed anything. Errors: P0002 where there is no such comment, 23514 for a voter that is not of 1 to 200 characters.';

create function darkroom.count_views(post_ids bigint[], views integer[] default null) returns void
language plpgsql set jit = off as $$
#variable_conflict use_variable
begin
    insert into darkroom.counter_changes (post_id, views)
    select s.post_id, sum(greatest(least(coalesce(s.views, 1), 1000000), 0))
    from unnest(post_ids, views) as s (post_id, views)
    where exists (select from darkroom.posts p where p.post_id = s.post_id)
    group by s.post_id;
    perform darkroom.want_tally();
end $$;
comment on function darkroom.count_views is
    'Adds views to posts: one each, or as many as views says, 0 to 1,000,000 each (others are taken as the nearest). Unknown posts are passed over. Gather them and call once a second rather than once a view.';

alter table darkroom.outbox
    add column comment_id bigint,
    drop constraint outbox_event_check,
    add constraint outbox_event_is_known check (
        event in ('published', 'hidden', 'restored', 'removed', 'expired', 'commented'));

create or replace function darkroom.audience(post_id bigint) returns bigint
language sql stable set enable_seqscan = off as $$
    select coalesce((select c.views from darkroom.post_counters c where c.post_id = audience.post_id), 0)
         + coalesce((select sum(w.views) from darkroom.counter_changes w where w.post_id = audience.post_id), 0)
$$;
comment on function darkroom.audience is 'How often a post was viewed.';
