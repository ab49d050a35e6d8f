import Postgres

extension QueueDatabase {
    /// Counts, weighs and numbers whatever is left, and returns what then differs from a computation from the votes,
    /// comments and posts themselves; empty if nothing does.
    package func inconsistencies() async throws -> [String] {
        try await pool.query("select darkroom.tally_counters(10000000)")
        try await pool.query("select darkroom.notify_of_likes(10000000)")
        try await pool.query("select darkroom.tally_map(10000000)")
        try await pool.query("select darkroom.notify_of_events()")
        try await pool.query("select darkroom.fill_inboxes(10000000)")
        var found = try await texts(Self.differences)
        // A rebuild computes feeds and the map from the posts and counters. They should be equal before and after.
        let derived: PostgresQuery = """
            select concat_ws(' ', 'feed', post_id, published_at, expires_at, position, array[country, division, city, place],
                             category, activity, author_handle) as x
            from darkroom.feed
            union all select concat_ws(' ', 'rank', post_id, likes, dislikes, round(hot::numeric, 9), position,
                                       array[country, division, city, place], category)
            from darkroom.ranks
            union all select concat_ws(' ', 'tile', level, x, y, posts, best) from darkroom.map_tiles order by 1
            """
        let before = Set(try await texts(derived))
        try await pool.query("select darkroom.rebuild_feeds()")
        let after = Set(try await texts(derived))
        found += before.subtracting(after).sorted().map { "not computed: \($0)" }
        found += after.subtracting(before).sorted().map { "missing: \($0)" }
        return found
    }

    private func texts(_ query: PostgresQuery) async throws -> [String] {
        let rows = try await pool.query(query)
        return try rows.map { try $0.decode(rows.columns[0], as: String.self) }
    }

    private static let differences: PostgresQuery = """
        with known as (select post_id, state, uploader from darkroom.posts)
        select format('post %s has %s likes, %s dislikes, %s comments by its counters, and %s, %s, %s of them', p.post_id,
                      c.likes, c.dislikes, c.comments, v.likes, v.dislikes, m.comments) as fault
        from known p
        left join darkroom.post_counters c using (post_id)
        cross join lateral (
            select count(*) filter (where vote = 'like') as likes, count(*) filter (where vote = 'dislike') as dislikes
            from darkroom.votes o where o.post_id = p.post_id) v
        cross join lateral (
            select count(*) as comments from darkroom.comments o where o.post_id = p.post_id and o.state = 'published') m
        where (coalesce(c.likes, 0), coalesce(c.dislikes, 0), coalesce(c.comments, 0)) <> (v.likes, v.dislikes, m.comments)
        union all
        select format('post %s has other pictures than its renditions', p.post_id)
        from darkroom.posts p where p.pictures is distinct from darkroom.pictures_of(p.post_id)
        union all
        select format('post %s has %s likes by others, and %s of them', p.post_id, c.likes_by_others, v.likes)
        from darkroom.posts p
        join darkroom.post_counters c using (post_id)
        cross join lateral (
            select count(*) as likes from darkroom.votes o
            where o.post_id = p.post_id and o.vote = 'like' and o.voter <> p.uploader) v
        where c.likes_by_others <> v.likes
        union all
        select format('the handle of %s in %s is another one', h.person, h.place)
        from (select author as person, author_handle, 'comments' as place from darkroom.comments
              union all select person, author_handle, 'people' from darkroom.people
              union all select uploader, author_handle, 'posts' from darkroom.posts where not anonymous) h
        where h.author_handle <> darkroom.handle_of(h.person)
        union all
        select format('post %s has likes that no event tells', c.post_id)
        from darkroom.post_counters c join darkroom.feed f using (post_id)
        where c.likes_by_others > c.likes_told
          and not exists (select from darkroom.untold_likes u where u.post_id = c.post_id)
        union all
        select format('events of post %s tell of %s likes, and its counters of %s', c.post_id, e.likes, c.likes_told)
        from darkroom.post_counters c
        cross join lateral (
            select coalesce(sum(o.likes), 0) as likes from darkroom.event_log o
            where o.post_id = c.post_id and o.event = 'liked') e
        where e.likes <> c.likes_told
        union all
        select format('the inbox of %s tells of %s, %s: %s', e.person, e.event, e.subject_id, e.times)
        from darkroom.inbox_entries e
        where e.times < 1
           -- An erasure takes comments and inboxes in several steps.
           or not exists (select from darkroom.person_erasures r where r.person = e.person)
              and case e.event when 'rejected'
                  then not exists (select from darkroom.uploads u where u.job_id = e.subject_id and u.uploader = e.person)
                  else not exists (select from known p where p.post_id = e.subject_id and p.uploader = e.person)
                   and not exists (select from darkroom.comments c where c.post_id = e.subject_id and c.author = e.person
                                     and e.event like 'comment%') end
        union all
        select format('post %s has %s comments by others, and an unread inbox tells of %s', p.post_id, m.comments, e.times)
        from known p
        left join darkroom.inbox_entries e on (e.person, e.subject_id, e.event) = (p.uploader, p.post_id, 'commented')
        cross join lateral (
            -- One that came back after a review may be told of or not.
            select count(*) as comments, count(*) filter (where not exists (
                       select from darkroom.event_log l where l.post_id = p.post_id and l.comment_id = o.comment_id
                         and l.event in ('comment_hidden', 'comment_removed'))) as told
            from darkroom.comments o
            where o.post_id = p.post_id and o.state = 'published' and o.author <> p.uploader
              and not exists (select from darkroom.blocks b where b.person = p.uploader and b.author_handle = o.author_handle)) m
        where not exists (select from darkroom.inboxes i where i.person = p.uploader)
          -- An erasure takes inboxes and posts in several steps.
          and not exists (select from darkroom.person_erasures e where e.person = p.uploader)
          and coalesce(e.times, 0) not between m.told and m.comments
        union all
        select format('comment %s has %s likes, %s dislikes, and %s, %s of them', c.comment_id, c.likes, c.dislikes, v.likes, v.dislikes)
        from darkroom.comments c
        cross join lateral (
            select count(*) filter (where vote = 'like') as likes, count(*) filter (where vote = 'dislike') as dislikes
            from darkroom.comment_votes o where o.comment_id = c.comment_id) v
        where (c.likes, c.dislikes) <> (v.likes, v.dislikes)
        union all
        select format('post %s is gone, and %s has rows of it', o.post_id, o.name)
        from (select post_id, 'votes' as name from darkroom.votes union all select post_id, 'comments' from darkroom.comments
              union all select post_id, 'reports' from darkroom.reports r
              -- A moderation that is queued erases those of a post that is gone.
              where not exists (select from darkroom.moderation_backlog b where b.post_id = r.post_id)
                and not exists (select from darkroom.jobs j where j.kind = 'moderate' and j.subject_id = r.post_id)
              union all select post_id, 'feed' from darkroom.feed
              union all select post_id, 'post_counters' from darkroom.post_counters
              union all select post_id, 'untold_likes' from darkroom.untold_likes
              union all select post_id, 'counter_changes' from darkroom.counter_changes
              union all select post_id, 'ranks' from darkroom.ranks) o
        where not exists (select from known p where p.post_id = o.post_id)
        union all
        select format('comment %s is gone, and comment_votes has rows of it', v.comment_id)
        from darkroom.comment_votes v
        where not exists (select from darkroom.comments c where c.comment_id = v.comment_id)
        union all
        select format('post %s is %s, and the last event says %s', p.post_id, p.state, e.event)
        from known p
        cross join lateral (
            select o.event from darkroom.event_log o
            where o.post_id = p.post_id and o.event in ('published', 'held', 'hidden', 'restored', 'removed', 'expired')
            order by o.number desc limit 1) e
        where e.event <> case p.state when 'published' then e.event else p.state::text end
           or p.state = 'published' and e.event not in ('published', 'restored')
        union all
        select format('post %s has %s comments, and events of %s', p.post_id, m.comments, e.comments)
        from known p
        cross join lateral (
            select count(*) as comments from darkroom.comments o where o.post_id = p.post_id and o.state = 'published') m
        cross join lateral (
            select count(*) as comments
            from (select distinct on (o.comment_id) o.event from darkroom.event_log o
                  where o.post_id = p.post_id and o.comment_id is not null and o.event <> 'comment_appeal_answered'
                  order by o.comment_id, o.number desc) l
            where l.event in ('commented', 'comment_restored')) e
        where m.comments <> e.comments
        union all
        select format('%s removals of %s are on record, and %s posts of theirs', p.removals, p.person, r.removals)
        from darkroom.people p
        cross join lateral (select count(*) as removals from darkroom.removals o where o.uploader = p.person) r
        where p.removals <> r.removals
        union all
        select format('%s and %s reports of %s were judged by the record, and %s and %s in fact', p.agreed, p.disagreed, p.person,
                      r.agreed, r.disagreed)
        from darkroom.people p
        cross join lateral (
            select count(*) filter (where is_agreed) as agreed, count(*) filter (where not is_agreed) as disagreed
            from darkroom.reports o where o.reporter = p.person) r
        where r.agreed > p.agreed or r.disagreed > p.disagreed
        """
}
