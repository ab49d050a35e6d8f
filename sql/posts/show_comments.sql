create or replace function darkroom.show_comments(order_by text, ids bigint[], viewer text) returns setof darkroom.feed_comment
language sql stable rows 20 as $$
    select c.comment_id, c.post_id, case when not o.by_anonymous and (select darkroom.votes_for_people()) then c.author end,
           case when o.by_anonymous then p.author_handle else c.author_handle end,
           case when not o.by_anonymous then (select w.display_name from darkroom.people w where w.person = c.author) end,
           c.body, c.likes, c.dislikes, c.created_at,
           case when viewer is not null then (
               select v.vote::text from darkroom.comment_votes v
               where v.comment_id = c.comment_id
                 and v.voter = (select case when darkroom.votes_for_people() then viewer end)) end,
           order_by || ':' || case order_by when 'popular' then c.likes - c.dislikes else 0 end || '~' || c.comment_id
    from unnest(ids) with ordinality as i (comment_id, number)
    join darkroom.comments c using (comment_id)
    join darkroom.posts p using (post_id)
    -- The uploader of an anonymous post stays anonymous under it.
    cross join lateral (select p.anonymous and c.author = p.uploader as by_anonymous) o
    where c.state = 'published'
      and (c.author <> viewer and case when o.by_anonymous then p.author_handle else c.author_handle end in (select darkroom.blocked_handles(viewer))) is not true
    order by i.number
$$;
comment on function darkroom.show_comments is
    'The rows of comments for their numbers, in this order, with cursors that carry the name of the order, and the viewer''s '
    'own votes if the caller acts for people. Leaves out those of authors whom the viewer has blocked. It has no settings, so that '
    'the planner inlines it.';
