-- How posts, photos and people leave: deletion by the uploader, expiry, originals kept for a while, and erasure.
--
-- Rows go first, in one transaction which also notes the files that are then to be deleted in retired_media. So no row
-- ever names a file that is gone, and a file that is to go is known until it is gone, whoever dies in between.

alter table darkroom.settings
    add column original_days integer not null default 7
        constraint original_days_is_0_to_3650 check (original_days between 0 and 3650),
    add column original_grace interval not null default '1 hour'
        constraint original_grace_is_not_negative check (original_grace >= '0'),
    add column rendition_grace interval not null default '1 day'
        constraint rendition_grace_is_not_negative check (rendition_grace >= '0'),
    add column expired_days integer default 30
        constraint expired_days_is_0_to_3650 check (expired_days between 0 and 3650);
comment on column darkroom.settings.original_days is
    'Days for which an original is kept after its upload, for replays and re-rendering.';
comment on column darkroom.settings.original_grace is
    'An original is not deleted sooner than this after it was last stored, as another upload of the same bytes may be about to be enqueued.';
comment on column darkroom.settings.rendition_grace is
    'How long pictures that a re-rendering replaced are kept for readers who still have their addresses.';
comment on column darkroom.settings.expired_days is
    'Days after which an expired post is erased with all that belongs to it; null: it is kept.';

-- Files.

create table darkroom.retired_media (
    media_key  text primary key,
    due_at     timestamptz not null default now(),
    post_id    bigint,
    erasure_id bigint,
    retired_at timestamptz not null default now()
);
comment on table darkroom.retired_media is
    'Files of the media store that are to be deleted, unless something refers to them again by then.';
comment on column darkroom.retired_media.post_id is 'The post whose file it was, where it was one''s.';
comment on column darkroom.retired_media.erasure_id is 'The erasure of a person that ends only when the file is gone.';
create index retired_media_due on darkroom.retired_media (due_at, media_key);
create index retired_media_post on darkroom.retired_media (post_id) where post_id is not null;
create index retired_media_erasure on darkroom.retired_media (erasure_id) where erasure_id is not null;

create function darkroom.retire_media(
    keys text[], due timestamptz default now(), of_post bigint default null, for_erasure bigint default null)
returns void
language sql as $$
    insert into darkroom.retired_media as r (media_key, due_at, post_id, erasure_id)
    select distinct k, due, of_post, for_erasure from unnest(keys) k where k is not null order by k
    on conflict (media_key) do update
    set due_at = least(r.due_at, excluded.due_at), post_id = coalesce(excluded.post_id, r.post_id),
        erasure_id = coalesce(excluded.erasure_id, r.erasure_id)
$$;
comment on function darkroom.retire_media is
    'Notes files to be deleted once nothing refers to them, not before due.';

create function darkroom.hold_media(keys text[]) returns void
language plpgsql as $$
begin
    perform pg_advisory_xact_lock_shared(hashtextextended(k, 20260119))
    from (select distinct k from unnest(keys) k order by k) s;
end $$;
comment on function darkroom.hold_media is
    'Keeps files from being deleted until the transaction has ended. Whoever is to refer to files takes this first and then looks whether they are there.';

create function darkroom.take_media(key text) returns boolean
language plpgsql set enable_seqscan = off as $$
begin
    perform pg_advisory_xact_lock(hashtextextended(key, 20260119));
    -- A statement of its own: it sees what was committed while this one waited.
    return not exists (select from darkroom.renditions r where r.media_key = key)
       and not exists (select from darkroom.uploads u where u.original_key = key and u.original_erased_at is null);
end $$;
comment on function darkroom.take_media is
    'Whether nothing refers to a file. Nobody can come to until the transaction has ended, so delete the file before.';

alter table darkroom.uploads add column original_erased_at timestamptz;
comment on column darkroom.uploads.original_erased_at is
    'Since when the original is no longer kept for this upload; null while it is.';
create index uploads_original on darkroom.uploads (original_key) where original_erased_at is null;
create index uploads_with_original on darkroom.uploads (created_at, upload_id) where original_erased_at is null;
create index uploads_uploader on darkroom.uploads (uploader, upload_id);

create function darkroom.retire_originals(
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
    free as (
        update darkroom.uploads u set original_erased_at = now()
        from page p
        where u.upload_id = p.upload_id
          and not exists (select from darkroom.jobs j where j.job_id = p.job_id)
          -- A failed job can be replayed for as long as it is in history.
          and not exists (select from darkroom.finished_jobs f where f.job_id = p.job_id and f.state = 'failed')
          and not exists (select from darkroom.posts o
                          join darkroom.jobs j on j.kind = 'rerender' and j.dedupe_key = o.post_id
                          where o.upload_id = p.upload_id)
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
    'Ends the keeping of originals that are older than settings.original_days, going through at most so many uploads from a position on; seen is 0 at the end. Kept are those whose job is unfinished or failed.';

-- Deletion of posts.

create table darkroom.post_erasures (
    post_id      bigint primary key,
    upload_id    bigint not null,
    cause        text not null
                 constraint cause_is_known check (cause in ('uploader', 'expired', 'person')),
    requested_at timestamptz not null default clock_timestamp(),
    erased_at    timestamptz
);
comment on table darkroom.post_erasures is
    'Posts that are being erased (erased_at is null) or were. Nothing else is left of a post, nor is anything in here personal.';
create index post_erasures_erased on darkroom.post_erasures (erased_at);

create function darkroom.refuse_return() returns trigger
language plpgsql as $$
begin
    if exists (select from darkroom.post_erasures e where e.post_id = new.post_id) then
        raise exception using errcode = 'object_not_in_prerequisite_state',
            message = format('post %s is being erased and cannot come back', new.post_id),
            hint = 'The photo can be uploaded again.';
    end if;
    return new;
end $$;
comment on function darkroom.refuse_return is 'The trigger that keeps posts that were deleted from coming back.';
create trigger posts_stay_deleted before update of state on darkroom.posts
    for each row when (old.state = 'removed' and new.state <> 'removed') execute function darkroom.refuse_return();

create function darkroom.order_erasure(of_post bigint, of_upload bigint, for_cause text) returns boolean
language plpgsql as $$
begin
    insert into darkroom.post_erasures (post_id, upload_id, cause) values (of_post, of_upload, for_cause)
    on conflict do nothing;
    if not found then
        return false;
    end if;
    perform darkroom.enqueue_once('erase_post', of_post, 'erasure', of_post, 'default', -5);
    return true;
end $$;
comment on function darkroom.order_erasure is
    'Queues the erasure of a post whose row the caller has locked. False: that was done before.';

create function darkroom.delete_post(post_id bigint, uploader text) returns boolean
language plpgsql set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    target bigint := post_id;
    stands darkroom.post_state;
    source bigint;
begin
    select p.state, p.upload_id into stands, source from darkroom.posts p
    where p.post_id = target and p.uploader = delete_post.uploader for no key update;
    if not found then
        raise exception using errcode = 'no_data_found',
            message = format('this uploader has no post %s', target),
            hint = 'It may have been deleted before.';
    end if;
    if not darkroom.order_erasure(target, source, 'uploader') then
        return false;
    end if;
    if stands <> 'removed' then
        update darkroom.posts p set state = 'removed' where p.post_id = target;
        insert into darkroom.outbox (post_id, event) values (target, 'removed');
    end if;
    delete from darkroom.reviews r where r.post_id = target;
    return true;
end $$;
comment on function darkroom.delete_post is
    'Deletes a post for its uploader: readers see it no more from the commit on, and its pictures, original, coordinates, votes, comments and reports are erased soon after. False: that is under way already. Errors: P0002 where the uploader has no such post.';

-- What goes with a post is found by it.
create index appeals_post on darkroom.appeals (post_id);
create index comments_deleted on darkroom.comments (post_id) where deleted_at is not null;

create function darkroom.erase_post_rows(of_post bigint, for_erasure bigint default null) returns boolean
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    source bigint;
    stands darkroom.post_state;
begin
    -- Reports that are being filed end before this goes on: they look for the post first.
    perform pg_advisory_xact_lock(20260113, (of_post & 255)::integer);
    select p.upload_id, p.state into source, stands from darkroom.posts p where p.post_id = of_post for update;
    if not found then
        return false;
    end if;
    insert into darkroom.post_erasures (post_id, upload_id, cause)
    values (of_post, source, case when for_erasure is null then 'uploader' else 'person' end)
    on conflict (post_id) do update set cause = excluded.cause where excluded.cause = 'person';
    perform darkroom.retire_media(
        array(select r.media_key from darkroom.renditions r where r.post_id = of_post)
        || array(select u.original_key from darkroom.uploads u
                 where u.upload_id = source and u.original_erased_at is null)
        || array(select m.media_key from darkroom.retired_media m where m.post_id = of_post),
        now(), of_post, for_erasure);
    perform darkroom.erase_leftovers(of_post);
    if for_erasure is not null then
        -- A removal stays on the record of its uploader, and the look of its photo known, until the person leaves.
        delete from darkroom.removals where post_id = of_post;
        delete from darkroom.removed_hashes where post_id = of_post;
        update darkroom.moderation_decisions set note = null where post_id = of_post and note is not null;
    end if;
    if stands in ('published', 'hidden', 'held', 'expired') and for_erasure is not null then
        insert into darkroom.outbox (post_id, event) values (of_post, 'removed');
    end if;
    delete from darkroom.reviews where post_id = of_post;
    delete from darkroom.posts where post_id = of_post;
    delete from darkroom.uploads where upload_id = source;
    update darkroom.post_erasures set erased_at = clock_timestamp() where post_id = of_post;
    return true;
end $$;
comment on function darkroom.erase_post_rows is
    'Erases a post and its upload with all that belongs to them, and retires its files. False: there is no such post any more.';

create function darkroom.erase_leftovers(of_post bigint) returns void
language plpgsql set enable_seqscan = off set jit = off as $$
begin
    delete from darkroom.comment_votes v using darkroom.comments c
    where c.post_id = of_post and v.comment_id = c.comment_id and c.deleted_at is null;
    delete from darkroom.comment_votes v using darkroom.comments c
    where c.post_id = of_post and v.comment_id = c.comment_id and c.deleted_at is not null;
    delete from darkroom.comments where post_id = of_post and deleted_at is null;
    delete from darkroom.comments where post_id = of_post and deleted_at is not null;
    delete from darkroom.votes where post_id = of_post;
    delete from darkroom.reports where post_id = of_post;
    delete from darkroom.counter_changes where post_id = of_post;
    delete from darkroom.post_counters where post_id = of_post;
end $$;
comment on function darkroom.erase_leftovers is
    'Deletes what people did with a post. Called once more after its erasure, for those who were at it meanwhile.';

-- Expiry.

create table darkroom.events (
    event   text primary key
            constraint event_is_1_to_100_characters check (char_length(event) between 1 and 100),
    ends_at timestamptz not null
);
comment on table darkroom.events is 'When events end, for policies by which posts end with them.';

create table darkroom.expiry_policies (
    version         integer generated always as identity primary key,
    category        text,
    event           text,
    lifetime        interval constraint lifetime_is_positive check (lifetime > '0'),
    ends_with_event boolean not null default false,
    note            text not null,
    created_at      timestamptz not null default now(),
    constraint an_expiry_policy_is_of_a_category_or_an_event_or_general check (num_nonnulls(category, event) <= 1)
);
comment on table darkroom.expiry_policies is
    'Append a row to change the policy for posts from then on. In force for a post is the latest row of its event, else of its category, else the latest general one.';
comment on column darkroom.expiry_policies.lifetime is 'How long after publishing a post is seen; null: for ever.';
comment on column darkroom.expiry_policies.ends_with_event is
    'Whether a post ends with its event too, as darkroom.events has it; the earlier of the two counts.';
insert into darkroom.expiry_policies (note) values ('Default: posts do not expire.');
create trigger expiry_policies_append_only before update or delete or truncate on darkroom.expiry_policies
    for each statement execute function darkroom.refuse_change();

create function darkroom.expiry_for(category text, event text, published_at timestamptz) returns timestamptz
language sql stable as $$
    select least(published_at + p.lifetime,
                 case when p.ends_with_event then (
                     select e.ends_at from darkroom.events e where e.event = expiry_for.event) end)
    from darkroom.expiry_policies p
    where (p.event is null or p.event = expiry_for.event)
      and (p.category is null or p.category = expiry_for.category)
    order by p.event is null, p.category is null, p.version desc limit 1
$$;
comment on function darkroom.expiry_for is
    'When a post published at a time expires by the policy in force for its category and event; null for never.';

create function darkroom.set_expiry() returns trigger
language plpgsql as $$
begin
    if tg_op = 'UPDATE' then
        new.expires_at := darkroom.expiry_for(new.category, new.event, new.published_at);
    elsif new.expires_at is null then
        new.expires_at := darkroom.expiry_for(new.category, new.event, new.published_at);
    end if;
    return new;
end $$;
comment on function darkroom.set_expiry is
    'The trigger that sets when a post expires at its publishing, which for one that was held is its approval.';
create trigger posts_expire before insert on darkroom.posts for each row execute function darkroom.set_expiry();
create trigger posts_expire_later before update of published_at on darkroom.posts
    for each row when (old.published_at is distinct from new.published_at) execute function darkroom.set_expiry();

create index posts_event on darkroom.posts (event) where event is not null;
create function darkroom.move_event_end() returns trigger
language plpgsql set enable_seqscan = off as $$
begin
    update darkroom.posts p set expires_at = x.at
    from darkroom.posts q, lateral darkroom.expiry_for(q.category, q.event, q.published_at) x (at)
    where q.event = new.event and q.state in ('published', 'held', 'hidden') and p.post_id = q.post_id
      and p.expires_at is distinct from x.at;
    return null;
end $$;
comment on function darkroom.move_event_end is
    'The trigger by which posts of an event whose end is set or moved expire by the policy in force now.';
create trigger events_move after insert or update of ends_at on darkroom.events
    for each row execute function darkroom.move_event_end();

create index posts_expiring on darkroom.posts (expires_at, post_id)
    where state in ('published', 'hidden') and expires_at is not null;
create index posts_expired on darkroom.posts (expires_at, post_id) where state = 'expired';

create function darkroom.expire_posts(at_most integer default 1000) returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    made integer;
begin
    with due as materialized (
        select p.post_id, p.state from darkroom.posts p
        where p.state in ('published', 'hidden') and p.expires_at is not null and p.expires_at <= now()
          -- A person is still to decide on those in the review list.
          and not exists (select from darkroom.reviews r where r.post_id = p.post_id)
        order by p.expires_at, p.post_id limit at_most for no key update of p skip locked),
    gone as (
        update darkroom.posts p set state = 'expired' from due d where p.post_id = d.post_id returning p.expires_at, p.post_id)
    insert into darkroom.outbox (post_id, event)
    select post_id, 'expired' from gone order by expires_at, post_id;
    get diagnostics made = row_count;
    return made;
end $$;
comment on function darkroom.expire_posts is
    'Ends up to at_most posts whose time is over, in the order of their times. Answers how many.';

create function darkroom.erase_expired(at_most integer default 1000) returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    one  record;
    made integer := 0;
begin
    for one in
        select p.post_id, p.upload_id from darkroom.posts p
        where p.state = 'expired'
          and p.expires_at <= now() - make_interval(days => (select expired_days from darkroom.settings))
        order by p.expires_at, p.post_id limit at_most for no key update skip locked
    loop
        perform darkroom.order_erasure(one.post_id, one.upload_id, 'expired');
        -- Out of the index that this comes by.
        update darkroom.posts set state = 'removed' where post_id = one.post_id;
        made := made + 1;
    end loop;
    return made;
end $$;
comment on function darkroom.erase_expired is
    'Queues the erasure of up to at_most posts that expired more than settings.expired_days ago. Answers how many.';

-- Erasure of persons (Regulation (EU) 2016/679, article 17).

create table darkroom.person_erasures (
    erasure_id   bigint generated always as identity primary key,
    person       text
                 constraint person_is_1_to_200_characters check (char_length(person) between 1 and 200)
                 constraint person_is_not_the_star_of_all_keys check (person <> '*'),
    pseudonym    text default 'erased-' || gen_random_uuid(),
    state        text not null default 'waiting'
                 constraint state_is_known check (state in ('waiting', 'running', 'finished')),
    requested_by text,
    requested_at timestamptz not null default clock_timestamp(),
    started_at   timestamptz,
    finished_at  timestamptz,
    posts        integer not null default 0,
    uploads      integer not null default 0,
    jobs         integer not null default 0,
    votes        integer not null default 0,
    comments     integer not null default 0,
    reports      integer not null default 0,
    decisions    integer not null default 0,
    history      integer not null default 0,
    files        integer not null default 0,
    constraint only_finished_erasures_forget_the_person check ((state = 'finished') = (person is null)),
    constraint the_person_and_the_pseudonym_go_together check ((person is null) = (pseudonym is null))
);
comment on table darkroom.person_erasures is
    'Orders to erase persons, with how much was erased. Who it was, and the pseudonym in their stead, are forgotten at the end.';
comment on column darkroom.person_erasures.pseudonym is
    'Random, so that it says nothing of the person. What must stay, such as the moderation log, carries it instead.';
create unique index one_open_erasure_a_person on darkroom.person_erasures (person);

create function darkroom.erase_person(person text, requested_by text default null) returns bigint
language plpgsql set enable_seqscan = off as $$
#variable_conflict use_variable
declare
    made bigint;
begin
    insert into darkroom.person_erasures (person, requested_by) values (person, requested_by)
    on conflict do nothing returning erasure_id into made;
    if not found then
        select e.erasure_id into made from darkroom.person_erasures e where e.person = erase_person.person;
    end if;
    perform darkroom.enqueue_once('erase_person', made, 'erasure', made, 'default', -5);
    return made;
end $$;
comment on function darkroom.erase_person is
    'Queues the erasure of everything that is kept of a person, and answers its number: that of the open one where there is one.';

create function darkroom.erased_person(of_erasure bigint) returns text
language plpgsql as $$
declare
    whom text;
begin
    update darkroom.person_erasures e
    set state = 'running', started_at = coalesce(e.started_at, clock_timestamp())
    where e.erasure_id = of_erasure and e.state <> 'finished' returning e.person into whom;
    return whom;
end $$;
comment on function darkroom.erased_person is 'Begins an erasure and answers whose it is; null once it is finished.';

create function darkroom.erase_person_post(of_erasure bigint) returns boolean
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    whom text := darkroom.erased_person(of_erasure);
    one  bigint;
begin
    select p.post_id into one from darkroom.posts p where p.uploader = whom order by p.post_id desc limit 1;
    if not found or not darkroom.erase_post_rows(one, of_erasure) then
        return false;
    end if;
    update darkroom.person_erasures set posts = posts + 1, uploads = uploads + 1 where erasure_id = of_erasure;
    return true;
end $$;
comment on function darkroom.erase_person_post is 'Erases one post of a person. False: there is none left.';

create function darkroom.erase_person_jobs(of_erasure bigint) returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    whom  text := darkroom.erased_person(of_erasure);
    ended integer := 0;
    kept  integer := 0;
    one   record;
begin
    for one in
        select j.job_id, j.lease from darkroom.jobs j
        where j.lane = any (array(select l.lane from darkroom.lanes l))
          and j.fair_hash = hashtextextended(whom, 0) and j.fair_key = whom and j.kind = 'ingest'
        order by j.job_id
    loop
        perform darkroom.cancel_job(one.job_id);
        if exists (select from darkroom.jobs j where j.job_id = one.job_id) then
            kept := kept + 1;
        else
            ended := ended + 1;
        end if;
    end loop;
    update darkroom.person_erasures set jobs = jobs + ended where erasure_id = of_erasure;
    return kept;
end $$;
comment on function darkroom.erase_person_jobs is
    'Cancels the unfinished jobs of a person. Answers how many run and were asked to stop.';

create function darkroom.erase_person_uploads(of_erasure bigint, at_most integer default 500) returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    whom text := darkroom.erased_person(of_erasure);
    keys text[];
    made integer;
begin
    with gone as (
        delete from darkroom.uploads u
        where u.upload_id = any (array(
            select o.upload_id from darkroom.uploads o
            where o.uploader = whom
              and not exists (select from darkroom.posts p where p.upload_id = o.upload_id)
              and not exists (select from darkroom.jobs j where j.job_id = o.job_id)
            order by o.upload_id limit at_most for update))
        returning u.original_key, u.original_erased_at)
    select count(*), array_agg(original_key) filter (where original_erased_at is null) into made, keys from gone;
    perform darkroom.retire_media(keys, now(), null, of_erasure);
    update darkroom.person_erasures set uploads = uploads + made where erasure_id = of_erasure;
    return made;
end $$;
comment on function darkroom.erase_person_uploads is
    'Erases up to at_most uploads of a person that became no post and that no job is about. Answers how many.';

create function darkroom.erase_person_reactions(of_erasure bigint, at_most integer default 1000) returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
    whom      text := darkroom.erased_person(of_erasure);
    by_votes  integer;
    by_votes2 integer;
    written   integer;
begin
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
    with gone as (
        delete from darkroom.comments c
        where c.comment_id in (select o.comment_id from darkroom.comments o where o.author = whom limit at_most)
        returning c.comment_id, c.post_id, c.deleted_at),
    unvoted as (
        delete from darkroom.comment_votes v using gone g where v.comment_id = g.comment_id),
    counted as (
        insert into darkroom.counter_changes (post_id, comments)
        select post_id, -1 from gone where deleted_at is null)
    select count(*) into written from gone;
    if by_votes + by_votes2 + written > 0 then
        update darkroom.person_erasures set votes = votes + by_votes + by_votes2, comments = comments + written
        where erasure_id = of_erasure;
        perform darkroom.want_tally();
    end if;
    return by_votes + by_votes2 + written;
end $$;
comment on function darkroom.erase_person_reactions is
    'Erases up to at_most each of a person''s votes and comments, and takes them out of the counters. Answers how many.';

-- The one exception to the moderation log's being append only: in the names of persons who are erased, their pseudonym,
-- and in the notes on their posts, nothing. A change of anything else, or to anything else, is refused as ever, whoever
-- makes it.
create function darkroom.refuse_all_but_pseudonyms() returns trigger
language plpgsql as $$
declare
    was    jsonb := to_jsonb(old);
    is_now jsonb := to_jsonb(new);
    fields text[] := array['decider', 'reporter', 'note'];
    field  text;
begin
    if was = is_now or was - fields <> is_now - fields then
        raise exception using errcode = 'restrict_violation', message = format('%s is append only', tg_table_name),
            hint = 'Add a row; what was decided stays as it was.';
    end if;
    foreach field in array fields loop
        if was -> field is distinct from is_now -> field
           and not (field = 'note' and is_now ->> field is null and exists (
               select from darkroom.post_erasures e where e.post_id = (was ->> 'post_id')::bigint and e.cause = 'person'))
           and not (field <> 'note' and exists (
               select from darkroom.person_erasures e
               where e.state = 'running' and e.person = was ->> field and e.pseudonym = is_now ->> field))
        then
            raise exception using errcode = 'restrict_violation', message = format('%s is append only', tg_table_name),
                hint = 'Persons are erased from it by darkroom.erase_person.';
        end if;
    end loop;
    return new;
end $$;
comment on function darkroom.refuse_all_but_pseudonyms is
    'The trigger of tables whose rows are never changed but for the pseudonyms of persons who are being erased.';
create function darkroom.refuse_change_but_to_erase() returns trigger
language plpgsql as $$
begin
    if not exists (select from darkroom.person_erasures where state = 'running') then
        raise exception using errcode = 'restrict_violation', message = format('%s is append only', tg_table_name),
            hint = 'Add a row; what was decided stays as it was.';
    end if;
    return null;
end $$;
comment on function darkroom.refuse_change_but_to_erase is
    'The trigger of tables that take no change at all while no person is being erased.';
do $$
declare
    log text;
begin
    foreach log in array array['moderation_decisions', 'moderation_evidence'] loop
        execute format('drop trigger %1$s_append_only on darkroom.%1$I', log);
        execute format('create trigger %1$s_append_only before delete or truncate on darkroom.%1$I
                        for each statement execute function darkroom.refuse_change()', log);
        execute format('create trigger %1$s_erasing before update on darkroom.%1$I
                        for each statement execute function darkroom.refuse_change_but_to_erase()', log);
        execute format('create trigger %1$s_pseudonyms before update on darkroom.%1$I
                        for each row execute function darkroom.refuse_all_but_pseudonyms()', log);
    end loop;
end $$;

create function darkroom.person_columns() returns table (of_table regclass, of_column name)
language sql stable as $$
    select c.oid::regclass, a.attname
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = (select relnamespace from pg_class where oid = 'darkroom.posts'::regclass)
      and c.relkind in ('r', 'p') and not c.relispartition and a.attnum > 0 and not a.attisdropped
      and a.atttypid = 'text'::regtype
      and a.attname in ('person', 'uploader', 'voter', 'author', 'reporter', 'decider', 'corrected_by', 'fair_key',
                        'paused_by', 'replayed_by', 'requested_by', 'viewer', 'member', 'owner', 'user_id', 'account')
      and c.oid <> 'darkroom.person_erasures'::regclass
    order by 1, 2
$$;
comment on function darkroom.person_columns is
    'The columns that name a person: call such a column so, and the erasure of persons will find it.';

create function darkroom.erase_person_record(of_erasure bigint) returns void
language plpgsql set jit = off as $$
declare
    whom    text := darkroom.erased_person(of_erasure);
    alias   text := (select pseudonym from darkroom.person_erasures where erasure_id = of_erasure);
    theirs  bigint[];
    n       integer;
    one     record;
begin
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

    for one in select * from darkroom.person_columns() loop
        execute format('update %s set %I = $1 where %I = $2', one.of_table, one.of_column, one.of_column)
        using alias, whom;
    end loop;
end $$;
comment on function darkroom.erase_person_record is
    'Erases what is known of a person by name, and puts a pseudonym where something has to stay.';

create function darkroom.finish_person_erasure(of_erasure bigint) returns boolean
language plpgsql set enable_seqscan = off as $$
declare
    whom text;
begin
    select e.person into whom from darkroom.person_erasures e where e.erasure_id = of_erasure for update;
    if whom is null then
        return true;
    end if;
    if exists (select from darkroom.retired_media m where m.erasure_id = of_erasure)
       or exists (select from darkroom.uploads u where u.uploader = whom)
       or exists (select from darkroom.votes v where v.voter = whom)
       or exists (select from darkroom.comments c where c.author = whom)
       or exists (select from darkroom.reports r where r.reporter = whom)
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

create function darkroom.person_traces(person text) returns table (what text, "rows" bigint)
language sql stable set enable_seqscan = on as $$
    select 'posts', count(*) from darkroom.posts p where p.uploader = person_traces.person
    union all select 'uploads', count(*) from darkroom.uploads u where u.uploader = person_traces.person
    union all select 'originals', count(*) from darkroom.uploads u
              where u.uploader = person_traces.person and u.original_erased_at is null
    union all select 'jobs', count(*) from darkroom.jobs j where j.fair_key = person_traces.person
    union all select 'votes', (select count(*) from darkroom.votes v where v.voter = person_traces.person)
                            + (select count(*) from darkroom.comment_votes v where v.voter = person_traces.person)
    union all select 'comments', count(*) from darkroom.comments c where c.author = person_traces.person
    union all select 'reports', count(*) from darkroom.reports r where r.reporter = person_traces.person
    union all select 'decisions', count(*) from darkroom.moderation_evidence e where e.reporter = person_traces.person
    union all select 'history', count(*) from darkroom.finished_jobs f where f.fair_key = person_traces.person
$$;
comment on function darkroom.person_traces is 'What an erasure of a person would find, without erasing anything.';

-- Re-rendering.

alter table darkroom.posts add column rendered_with bigint;
comment on column darkroom.posts.rendered_with is
    'The checksum of the recipe that its pictures are rendered by, as a signed number; null for one of an older release.';

create function darkroom.enqueue_rerenders(
    checksum bigint, after_post bigint, at_most integer, since timestamptz, of_post bigint, again boolean,
    out last_post bigint, out queued integer, out gone integer)
language plpgsql set jit = off as $$
#variable_conflict use_variable
declare
    one record;
begin
    queued := 0;
    gone := 0;
    for one in
        select p.post_id, u.original_erased_at is not null as is_gone
        from darkroom.posts p join darkroom.uploads u using (upload_id)
        where p.post_id > after_post and p.state in ('published', 'held', 'hidden')
          and (again or p.rendered_with is distinct from checksum)
          and (since is null or p.published_at >= since) and (of_post is null or p.post_id = of_post)
        order by p.post_id limit at_most
    loop
        last_post := one.post_id;
        if one.is_gone then
            gone := gone + 1;
            continue;
        end if;
        if again then
            update darkroom.posts p set rendered_with = null where p.post_id = one.post_id and p.rendered_with = checksum;
        end if;
        if darkroom.enqueue_once('rerender', one.post_id, 'rerender', one.post_id, 'default', 60) is not null then
            queued := queued + 1;
        end if;
    end loop;
end $$;
comment on function darkroom.enqueue_rerenders is
    'Queues the re-rendering of the next posts after one that another recipe than checksum rendered, or, with again, of any. Answers the last one looked at, null at the end, and how many of them have no original any more.';

insert into darkroom.schedules (name, cron, kind, priority)
values ('expire', '*/5 * * * *', 'expire', 40), ('erase-originals', '41 * * * *', 'erase_originals', 50),
       ('sweep', '7 3 * * *', 'sweep', 60);
select darkroom.lane_of('default', 'erase_post', -5), darkroom.lane_of('default', 'erase_person', -5),
       darkroom.lane_of('default', 'expire', 40), darkroom.lane_of('default', 'erase_originals', 50),
       darkroom.lane_of('default', 'rerender', 60), darkroom.lane_of('default', 'sweep', 60);
insert into darkroom.kind_policies (kind, attempt_deadline)
values ('erase_originals', '1 hour'), ('erase_person', '1 hour'), ('expire', '30 minutes'), ('sweep', '12 hours')
on conflict do nothing;
