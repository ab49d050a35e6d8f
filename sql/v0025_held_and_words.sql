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

create or replace function darkroom.post_details(post_id bigint, viewer text default null)
returns table (post darkroom.feed_post, my_vote darkroom.vote)
language sql stable set enable_seqscan = off set jit = off as $$
    select row(s.post_id, s.published_at, s.uploader, s.display_name, s.headline, s.caption, s.link, s.category, s.event, s.taken_at,
               s.taken_at_local, s.time_zone, s.latitude, s.longitude, s.country_code, s.country_name, s.admin1_code,
               s.admin1_name, s.place, s.place_name, s.width, s.height, s.placeholder, s.pictures,
               s.likes + coalesce(w.likes, 0), s.dislikes + coalesce(w.dislikes, 0),
               s.comments + coalesce(w.comments, 0), s.views + coalesce(w.views, 0), null, null, null)::darkroom.feed_post,
           case when viewer is not null and darkroom.votes_for_people() then (
               select v.vote from darkroom.votes v where v.post_id = post_details.post_id and v.voter = viewer) end
    from darkroom.show_posts(array[post_id], null, null) s
    left join lateral (
        select sum(c.likes) as likes, sum(c.dislikes) as dislikes, sum(c.comments) as comments, sum(c.views) as views
        from darkroom.counter_changes c where c.post_id = post_details.post_id and c.comment_id is null) w on true
$$;
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
