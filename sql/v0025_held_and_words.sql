-- What apps had yet to be told or trusted with: photos that are held, whose vote a reader may ask for, the erasure of
-- persons; and what every function, table and type is there for.

-- An event for the uploader of a photo that waits for a person. What is there already satisfies the narrower rule that
-- this one replaces, so nothing is looked through under the lock.
alter table darkroom.outbox
    drop constraint outbox_event_is_known,
    add constraint outbox_event_is_known check (
        event in ('published', 'held', 'hidden', 'restored', 'removed', 'expired', 'commented')) not valid;
comment on table darkroom.outbox is
    'What happened to posts, for push notifications: written in the transaction that caused it. A post that is held for review begins with held, and has published when it is approved.';

-- Whom to tell: of a held post an app cannot ask anything else. Looked up as it is read, so that nothing of a person is
-- kept with the events.
alter type darkroom.post_event add attribute uploader text;
create or replace function darkroom.read_events(consumer text, at_most integer default 100) returns setof darkroom.post_event
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
        select o.number, o.event, o.post_id, o.comment_id, o.occurred_at,
               (select p.uploader from darkroom.posts p where p.post_id = o.post_id)
        from darkroom.outbox o where o.number > last order by o.number limit wanted;
end $$;
comment on function darkroom.read_events is
    'The events after those that a consumer has acknowledged, oldest first, 1 to 1,000 at a time: the same again until ack_events is called. A consumer is any name of 1 to 100 characters; the first call makes it known and gives it what happens from then on. Of one post, events come in the order in which they happened. uploader is whose post it is; null once the post is erased. A consumer that falls behind by more than settings.event_days misses what was removed meanwhile. Errors: 23514 for a consumer''s name out of range.';

-- Whose rights a call has: inside of functions that run with their owner's rights current_user is the owner.
create function darkroom.caller() returns name
language sql stable parallel safe as $$
    select case current_setting('role') when 'none' then session_user else current_setting('role')::name end
$$;
comment on function darkroom.caller is
    'The role by which somebody calls a function that runs with its owner''s rights: that of SET ROLE, else the login''s.';

create function darkroom.votes_for_people() returns boolean
language sql stable parallel safe as $$
    select has_function_privilege(darkroom.caller(), 'darkroom.vote_on_post(bigint, text, darkroom.vote)', 'execute')
$$;
comment on function darkroom.votes_for_people is
    'Whether the caller may set people''s votes, and so may ask for them: the role reader may not.';

-- In PL/pgSQL its plan is kept for the session: planning it with every call took four fifths of the time.
create or replace function darkroom.post_details(post_id bigint, viewer text default null)
returns table (post darkroom.feed_post, my_vote darkroom.vote)
language plpgsql stable rows 1 set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
    target bigint := $1;
    person text := case when $2 is not null and darkroom.votes_for_people() then $2 end;
begin
    return query
    select row(s.post_id, s.published_at, s.uploader, s.display_name, s.headline, s.caption, s.link, s.category, s.event, s.taken_at,
               s.taken_at_local, s.time_zone, s.latitude, s.longitude, s.country_code, s.country_name, s.admin1_code,
               s.admin1_name, s.place, s.place_name, s.width, s.height, s.placeholder, s.pictures,
               s.likes + coalesce(w.likes, 0), s.dislikes + coalesce(w.dislikes, 0),
               s.comments + coalesce(w.comments, 0), s.views + coalesce(w.views, 0), null, null, null)::darkroom.feed_post,
           (select v.vote from darkroom.votes v where v.post_id = target and v.voter = person)
    from darkroom.show_posts(array[target], null, null) s
    left join lateral (
        select sum(c.likes) as likes, sum(c.dislikes) as dislikes, sum(c.comments) as comments, sum(c.views) as views
        from darkroom.counter_changes c where c.post_id = target and c.comment_id is null) w on true;
end $$;
comment on function darkroom.post_details is
    'One post that can be seen, with its counters to the moment and the viewer''s own vote. The role reader, which acts for nobody, gets null for every vote. No row where no such post can be seen.';

-- Who leaves says so to the app.
create or replace function darkroom.public_functions() returns table (name text, for_readers boolean)
language sql immutable rows 40 as $$
    select f.name, f.for_readers
    from (values
        ('enqueue_upload', false), ('enqueue_uploads', false), ('job_status', false), ('cancel_job', false),
        ('report_post', false), ('appeal_post', false), ('delete_post', false), ('erase_person', false),
        ('vote_on_post', false), ('vote_on_comment', false), ('add_comment', false), ('delete_comment', false),
        ('count_views', false), ('set_display_name', false), ('read_events', false), ('ack_events', false),
        ('latest_posts', true), ('nearest_posts', true), ('posts_within', true), ('near_and_good_posts', true),
        ('top_posts', true), ('post_details', true), ('post_comments', true), ('uploader_statistics', true),
        ('map_clusters', true), ('map_photos', true), ('cluster_posts', true), ('cluster_location', true)
    ) as f (name, for_readers)
$$;
comment on function darkroom.erase_person is
    'Orders the erasure of everything that is kept of a person (Regulation (EU) 2016/679, article 17), and answers the order''s number: that of the open one where there is one. It cannot be undone. requested_by is kept with the order: who asked, the person or an operator. Errors: 23514 for a person that is not of 1 to 200 characters, or is *, 23502 for none.';

-- What the insides are there for.

comment on function darkroom.state_of is
    'The state that an unfinished job shows: running with a lease, waiting, scheduled for a time, else parked.';
comment on function darkroom.next_slot is
    'Where a fair key''s next job goes in a lane: behind its last one, and never before the lane''s virtual time.';
comment on function darkroom.first_wait is
    'What a new job of a lane waits for: the end of a drain, its time, or nothing (null).';
comment on function darkroom.apply_limits is
    'Of the rows of jobs that a claim is about to start, those that the limits of their fair keys let start; the others are parked or put off. chosen are those that the claim has chosen before.';
comment on function darkroom.unpark is
    'Lets jobs that wait for their turn go on, as many of each fair key, given by its hash, as its limit has room for. Answers how many.';
comment on function darkroom.promote_due is
    'Has up to at_most scheduled jobs wait to be claimed whose time has come. Answers how many.';
comment on function darkroom.plane_x is
    'The x of a longitude in degrees in the Web Mercator plane, 0 to 67,108,864 (2^26) from west to east.';
comment on function darkroom.plane_y is
    'The y of a latitude in degrees in the Web Mercator plane: 0 to 67,108,864 (2^26) from 85.05 degrees north to south, beyond that outside; the poles are taken as 89.999999 degrees.';
comment on function darkroom.plane_longitude is 'The longitude in degrees of an x of the plane.';
comment on function darkroom.plane_latitude is 'The latitude in degrees of a y of the plane.';
comment on function darkroom.tile_at is
    'The number of the tile of a zoom level, 0 to 26, that holds a point of the plane: x in the higher 26 bits, y in the lower.';
comment on function darkroom.rank_post is
    'Writes a post''s row of ranks anew from its feed row and counters; takes it away where it cannot be seen or has no votes.';
comment on function darkroom.keep_feed is
    'The trigger that keeps feed and ranks for exactly the posts that readers see, and has the map reckoned where they lie.';
comment on function darkroom.reckon_leaves is 'Reckons tiles of the map''s level 20 anew from the feed.';
comment on function darkroom.reckon_tiles is
    'Reckons tiles of a level of the map anew, each from its four of the level below.';
comment on function darkroom.bad_cursor is 'Raises 22023 for a text that is no cursor of the feed.';
comment on function darkroom.cursor_key is
    'The key of a feed''s order that a cursor holds; null for none. Errors: 22023 for a text that is no cursor.';
comment on function darkroom.cursor_post is 'The post''s number that a cursor holds, by which equal keys are told apart.';
comment on function darkroom.page_size is 'A page''s rows: 1 to 100, 20 where none is asked for.';
comment on function darkroom.show_posts is
    'The rows of a feed for posts'' numbers, in their order, with the keys and distances in metres that the feed has; without those that cannot be seen.';
comment on function darkroom.boxes_around is
    'The boxes of the plane that together hold all that is within some metres of a coordinate: two or more where they cross 180 degrees, a strip of the whole width around a pole.';
comment on function darkroom.point_distance_m is 'Metres along the sphere from a coordinate in degrees to a point of the plane.';
comment on function darkroom.check_coordinate is 'Raises 22023 for what is no coordinate in degrees.';
comment on function darkroom.tiles_around is
    'The tiles of a zoom level that come within some metres of a coordinate, each with the metres to its nearest point. Errors: 22023 where they would be more than 1,600.';
comment on function darkroom.tile_level is
    'The zoom level of the tiles, 15 or 11, by which to look for posts within some metres at a latitude: the finer where those are few.';
comment on function darkroom.best_in_tile is
    'The best posts within some metres, of a page of near_and_good_posts, by the tiles of level 15; best_in_wide_tile by those of level 11.';
comment on function darkroom.best_in_wide_tile is
    'The best posts within some metres, of a page of near_and_good_posts, by the tiles of level 11; best_in_tile by those of level 15.';
comment on function darkroom.map_zoom is
    'The level of the map''s tiles, 2 to 20, that are squares of 64 pixels at a zoom of web maps.';
comment on function darkroom.cluster_number is 'The number of a cluster: its tile''s level, x and y.';
comment on function darkroom.tiles_in_box is
    'The tiles of a level of the map, with posts, that lie in a box in degrees; west is greater than east where it crosses 180 degrees. Errors: 22023 for no box, or one of more than 20,000 tiles.';

comment on table darkroom.schema_migrations is
    'The migrations that were applied, with the checksums of their texts. Written by darkroom migrate alone.';
comment on table darkroom.worker_queues is 'The queues that each worker serves, and how many jobs of each it runs at once.';
comment on table darkroom.reports is
    'One report a reporter and post, with what was known of the reporter when it was filed, so that it can be weighed again alike.';

comment on type darkroom.job_kind is 'What a job does. Each kind has its handler in the workers.';
comment on type darkroom.job_state is
    'waiting to be claimed, scheduled for a time, parked by a limit or a drain, or running; then finished for good, but for a replay: succeeded, rejected (the upload is at fault), failed (the system is), cancelled.';
comment on type darkroom.job_wait is 'What a job that cannot be claimed waits for: its time, its fair key''s turn, or the resume of a drained queue.';
comment on type darkroom.attempt_outcome is 'How one try at a job ended.';
comment on type darkroom.stage_time is 'How long an attempt was in a stage, in milliseconds.';
comment on type darkroom.upload_status is
    'What became of a job. reason is a code for programs, message a sentence for the uploader, post_id the post that an upload became.';
comment on type darkroom.post_state is
    'What readers see is published; held waits for its first review, hidden for another; removed and expired are over.';
comment on type darkroom.report_reason is 'What a reporter objects to.';
comment on type darkroom.vote is 'What a person thinks of a post or comment; null for none, or one that was taken back.';
comment on type darkroom.board is 'What a rank board is ordered by: see top_posts.';
comment on type darkroom.picture is
    'A picture of a post: its rendition''s name in the recipe, path in the media store, format, size in pixels and bytes.';
comment on type darkroom.feed_post is
    'A post as readers see it. place is a GeoNames number; width and height are the original''s, upright; placeholder is a ThumbHash; pictures come largest first. distance_m is from the reader''s coordinate, score what the feed is ordered by, cursor what to give as after for the posts behind this one.';
comment on type darkroom.cluster is
    'Posts of one square of the map: how many, where in the mean, in degrees, and the number of the best of them by hot.';
comment on type darkroom.post_event is
    'Something that happened to a post: published, held (for review, before anybody has seen it), hidden, restored, removed, expired or commented, with the comment''s number. number is its place in the order of reading, uploader whose post it is: null once that is erased.';
