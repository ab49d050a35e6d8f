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
    return true;
end $$;
comment on function darkroom.delete_post is
    'Deletes a post for its uploader: readers see it no more from the commit on, and its pictures, original, coordinates, votes, comments and reports are erased soon after. False: that is under way already.';

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
    on conflict do nothing;
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

insert into darkroom.schedules (name, cron, kind, priority)
values ('expire', '*/5 * * * *', 'expire', 40), ('erase-originals', '41 * * * *', 'erase_originals', 50);
select darkroom.lane_of('default', 'erase_post', -5), darkroom.lane_of('default', 'erase_person', -5),
       darkroom.lane_of('default', 'expire', 40), darkroom.lane_of('default', 'erase_originals', 50);
insert into darkroom.kind_policies (kind, attempt_deadline)
values ('erase_originals', '1 hour'), ('erase_person', '1 hour'), ('expire', '30 minutes')
on conflict do nothing;
