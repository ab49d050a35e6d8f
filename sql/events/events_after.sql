create or replace function darkroom.events_after(last bigint, at_most integer) returns setof darkroom.post_event
language sql stable rows 100 as $$
    select o.number, o.event, o.post_id, o.comment_id, o.occurred_at, w.uploader, o.job_id, o.reason, o.likes,
           -- Without the post, nobody knows whether its uploader wrote the comment anonymously.
           case when o.comment_id is null or p.anonymous and c.author = p.uploader then p.author_handle
                when p.uploader is not null then c.author_handle end,
           b.by_uploader,
           w.uploader is not null and not b.by_uploader and o.event = any ((select darkroom.inbox_events(null))::text[])
           and coalesce((select o.event = any (i.events) from darkroom.inboxes i where i.person = w.uploader), true)
           and (o.event <> 'commented'
                or c.author is not null and c.state = 'published'
                   and not exists (select from darkroom.blocks k where k.person = p.uploader and k.author_handle = c.author_handle)),
           p.latitude, p.longitude
    from darkroom.event_log o
    left join lateral (
        select s.uploader, s.anonymous, s.author_handle, s.latitude, s.longitude from darkroom.posts s
        where s.post_id = o.post_id offset 0) p on true
    left join lateral (
        select s.author, s.author_handle, s.state from darkroom.comments s where s.comment_id = o.comment_id offset 0) c on true
    cross join lateral (
        select case when o.comment_id is not null and o.event not in ('commented', 'comment_deleted') then c.author
                    else coalesce(p.uploader, (select u.uploader from darkroom.uploads u
                                     where u.upload_id = o.upload_id and o.post_id is null)) end as uploader) w
    cross join lateral (
        select case o.event when 'edited' then true
                            when 'commented' then coalesce(c.author = p.uploader, false)
                            when 'removed' then exists (select from darkroom.post_erasures e
                                                        where e.post_id = o.post_id and e.cause in ('uploader', 'person'))
                            else false end as by_uploader) b
    where o.number > last order by o.number limit at_most
$$;
comment on function darkroom.events_after is
    'The events after a number, oldest first, with what a push message needs; is_told is the rule of the inbox, too. It has no settings, so that the planner inlines it.';
