import Postgres
import TestKit
import Testing

/// What forms and profiles of apps ask.
@Suite("Calls for an app's forms", .timeLimit(.minutes(15)))
struct AppCallTests {
    @Test("return posts by their numbers, in this order, with the distance")
    func postsByID() async throws {
        try await QueueDatabase.with(FeedFixture(60, areSomeHidden: true)) {
            (database: QueueDatabase) async throws -> Void in
            let found = try await database.texts(
                """
                select string_agg(post_id::text, ' ') from darkroom.posts_by_id('{9, 2, 404, 3, 1, 2}')
                """)
            #expect(found == ["9 2 1 2"], "3 is hidden")
            let wrong = try await database.texts(
                """
                select n.post_id::text from darkroom.nearest_posts(47.6, -122.3, 40) n
                join darkroom.posts_by_id((select array_agg(post_id) from darkroom.nearest_posts(47.6, -122.3, 40)), 47.6, -122.3) p
                using (post_id)
                cross join lateral darkroom.post_details(n.post_id, null, 47.6, -122.3) d
                where abs(n.distance_m - p.distance_m) > 0.001 * n.distance_m or d.distance_m <> p.distance_m
                """)
            #expect(wrong == [])
            for list in [
                "latest_posts(100, ", "map_photos(47, -123, 48, -122, 12, 100, ",
                "cluster_posts((select c.cluster_id from darkroom.map_clusters(47, -123, 48, -122, 4) c limit 1), 100, ",
            ] {
                let differ = try await database.texts(
                    PostgresQuery(
                        unescaped: """
                            select count(*) || ' ' || count(*) filter (where l.distance_m is distinct from d.distance_m)
                            from darkroom.\(list)latitude => 47.6, longitude => -122.3) l
                            cross join lateral darkroom.post_details(l.post_id, null, 47.6, -122.3) d
                            """))
                #expect(differ[0]?.hasSuffix(" 0") == true && differ[0] != "0 0", "\(list)")
            }
            for values in [
                "(select array_agg(i) from generate_series(1, 101) i)", "'{1}', 47.6", "'{1}', null, 7",
            ] {
                await #expect(throws: PostgresError.self, "\(values)") {
                    try await database.pool.query(
                        PostgresQuery(unescaped: "select * from darkroom.posts_by_id(\(values))"))
                }
            }
        }
    }

    @Test("say what is wrong with a comment as add_comment would, and nothing if it is right")
    func comments() async throws {
        try await QueueDatabase.with(FeedFixture(2, areVotedOn: false)) {
            (database: QueueDatabase) async throws -> Void in
            try await database.pool.query("update darkroom.posts set state = 'hidden' where post_id = 2")
            let cases = [
                "1, 'ada', 'Hello'", "1, 'ada', repeat('x', 2000)", "1, 'ada', repeat('x', 2001)",
                "1, 'ada', ' '",
                "1, 'ada', null", "1, null, 'x'", "1, '', 'x'", "1, repeat('x', 201), 'x'", "2, 'ada', 'x'",
                "404, 'ada', 'x'",
                "null, 'ada', 'x'", "1, 'ada', E'a\\u0001'", "1, 'ada', E'two\\nlines'",
                "1, 'ada', repeat(U&'\\0301', 40)",
            ]
            for values in cases {
                let objections = try await database.texts(
                    PostgresQuery(
                        unescaped:
                            "select argument || ' ' || reason || ' ' || message from darkroom.check_comment(\(values))"
                    ))
                do {
                    try await database.pool.query(
                        PostgresQuery(unescaped: "select darkroom.add_comment(\(values))"))
                    #expect(objections == [], "\(values)")
                } catch let error as PostgresError {
                    #expect(!objections.isEmpty, "\(values)")
                    if let rule = error.constraint {
                        #expect(objections.contains { $0?.contains(rule) == true }, "\(values) \(objections)")
                    }
                }
            }
        }
    }

    @Test("say the rules that are in force")
    func rules() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.pool.query(
                """
                insert into darkroom.posting_policies (headline_required, caption_required, category_required, categories, link, note,
                    photos_a_day)
                values (true, false, true, '{food, art}', 'refused', 'general', 7)
                """)
            try await database.pool.query(
                "insert into darkroom.posting_policies (category, link, link_hosts, note) values ('art', 'required', '{example.org}', 'art')"
            )
            try await database.pool.query(
                "insert into darkroom.location_policies (category, privacy, note) values ('art', 'grid_1km', 'art')"
            )
            func rules(_ category: String) async throws -> [String?] {
                try await database.texts(
                    PostgresQuery(
                        unescaped: """
                            select headline_required || ' ' || category_required || ' ' || categories::text || ' ' || link_rule || ' '
                                   || coalesce(link_hosts::text, '-') || ' ' || photos_a_day || ' ' || location_privacy
                            from darkroom.posting_rules(\(category))
                            """))
            }
            #expect(try await rules("") == ["true true {food,art} refused - 7 grid_10m"])
            #expect(try await rules("' ART'") == ["true true {food,art} required {example.org} 7 grid_1km"])
            func photos() async throws -> [String?] {
                try await database.texts(
                    "select concat_ws(' ', photo_types, photo_bytes_at_most, photo_pixels_at_most, attributions) from darkroom.posting_rules()"
                )
            }
            #expect(try await photos() == [""], "no worker has started")
            // The first one that drains the queues says something; later only who stays replaces the limits.
            for (most, author, replaces, shown) in [
                (7, "Ann", false, 7), (8, "Bea", false, 7), (8, "Bea", true, 8), (7, "Ann", true, 7),
            ] {
                try await database.pool.query(
                    "select darkroom.note_intake('{image/png,image/jpeg}', \(most), 9, array[\("© " + author)], \(replaces))"
                )
                #expect(try await photos() == ["{image/png,image/jpeg} \(shown) 9 {\"© \(author)\"}"])
            }
            // The longest text that each rule allows is allowed, and one more is not.
            let lengths = try await database.pool.query(
                "select headline_at_most, caption_at_most, comment_at_most, display_name_at_most from darkroom.posting_rules()"
            )[0]
            for (column, domain) in [
                ("headline_at_most", "headline"), ("caption_at_most", "caption"),
                ("comment_at_most", "remark"),
                ("display_name_at_most", "display_name"),
            ] {
                let most = try lengths.decode(column, as: Int.self)
                func cast(_ count: Int) -> PostgresQuery {
                    PostgresQuery(unescaped: "select repeat('x', \(count))::darkroom.\(domain)")
                }
                try await database.pool.query(cast(most))
                await #expect(throws: PostgresError.self) { try await database.pool.query(cast(most + 1)) }
            }
        }
    }

    @Test("tell the names behind handles, and whom the viewer has blocked")
    func people() async throws {
        try await QueueDatabase.with(FeedFixture(4, areVotedOn: false)) {
            (database: QueueDatabase) async throws -> Void in
            try await database.pool.query("update darkroom.posts set anonymous = true where post_id = 3")
            for (person, name) in [("user-1", "Ada"), ("user-2", "Bob"), ("user-3", "Cy")] {
                try await database.pool.query("select darkroom.set_display_name(\(person), \(name))")
            }
            try await database.pool.query(
                "select darkroom.block_author('eve', author_handle) from darkroom.posts where uploader = 'user-1'"
            )
            let found = try await database.texts(
                """
                select display_name || ' ' || is_blocked from darkroom.people_by_handle(
                    (select array_agg(author_handle order by post_id desc) || array['nobody', null] from darkroom.posts), 'eve')
                """)
            #expect(found == ["Bob false", "Ada true"], "not the anonymous one")
        }
    }

    @Test("list what a person has voted on, the latest first, as it is now")
    func votes() async throws {
        try await QueueDatabase.with(FeedFixture(40, areSomeHidden: true)) {
            (database: QueueDatabase) async throws -> Void in
            for (post, vote) in [
                (1, "like"), (2, "dislike"), (4, "like"), (6, "like"), (8, "like"), (4, "dislike"),
                (6, "none"),
            ] {
                try await database.pool.query("select darkroom.vote_on_post(\(Int64(post)), 'ada', \(vote))")
            }
            try await database.pool.query("update darkroom.posts set state = 'hidden' where post_id = 8")
            func voted(_ arguments: String) async throws -> [String?] {
                try await database.texts(
                    PostgresQuery(
                        unescaped:
                            "select post_id || ' ' || my_vote from darkroom.voted_posts('ada'\(arguments))"))
            }
            #expect(try await voted("") == ["4 dislike", "2 dislike", "1 like"])
            #expect(try await voted(", 'like'") == ["1 like"])
            #expect(try await voted(", 'dislike', 1") == ["4 dislike"])
            let next = ", 'dislike', 1, (select cursor from darkroom.voted_posts('ada', 'dislike', 1))"
            #expect(try await voted(next) == ["2 dislike"])
            await #expect(throws: PostgresError.self) { _ = try await voted(", 'none'") }
        }
    }

    @Test("tell a push sender whom to tell what, as the inbox does")
    func events() async throws {
        try await QueueDatabase.with(FeedFixture(2, areVotedOn: false)) {
            (database: QueueDatabase) async throws -> Void in
            try await database.pool.query(
                "update darkroom.posts set uploader = 'owner', anonymous = post_id = 2, category = null")
            try await database.pool.query("select darkroom.read_events('push')")
            for author in ["bob", "eve", "owner"] {
                try await database.pool.query("select darkroom.add_comment(1, \(author), 'Hello')")
            }
            try await database.pool.query("select darkroom.add_comment(2, 'owner', 'mine')")
            try await database.pool.query("select darkroom.edit_post(1, 'owner', 'Another', null, null)")
            try await database.pool.query(
                "select darkroom.block_author('owner', author_handle) from darkroom.comments where author = 'eve'"
            )
            func told() async throws -> [String?] {
                for call in ["notify_of_events", "fill_inboxes"] {
                    try await database.pool.query(PostgresQuery(unescaped: "select darkroom.\(call)()"))
                }
                return try await database.texts(
                    """
                    select concat_ws(' ', e.event, coalesce(c.author, '-'), e.by_uploader, e.is_told,
                                     coalesce(e.author_handle = c.author_handle, e.author_handle = p.author_handle),
                                     e.author_handle = p.author_handle, (e.latitude, e.longitude) = (p.latitude, p.longitude))
                    from darkroom.read_events('push') e join darkroom.posts p using (post_id)
                    left join darkroom.comments c on c.comment_id = e.comment_id order by e.number
                    """)
            }
            #expect(
                try await told() == [
                    "commented bob f t t f t", "commented eve f f t f t", "commented owner t f t t t",
                    "commented owner t f f t t", "edited - t f t t t",
                ])
            let inbox = try await database.texts("select event || ' ' || times from darkroom.inbox('owner')")
            #expect(inbox == ["commented 1"])
            try await database.pool.query("select darkroom.choose_inbox_events('owner', '{published}')")
            #expect(try await told().first == "commented bob f f t f t")
        }
    }

    @Test("tell a push sender nothing of what is gone, and name nobody else for it")
    func goneEvents() async throws {
        try await QueueDatabase.with(FeedFixture(3, areVotedOn: false)) {
            (database: QueueDatabase) async throws -> Void in
            try await database.pool.query(
                "update darkroom.posts set uploader = 'owner', anonymous = post_id = 2, category = null")
            try await database.pool.query("select darkroom.read_events('push')")
            for author in ["bob", "goner", "eve"] {
                try await database.pool.query("select darkroom.add_comment(1, \(author), 'Hello')")
            }
            try await database.pool.query("select darkroom.add_comment(2, 'owner', 'mine')")
            try await database.pool.query("select darkroom.add_comment(3, 'bob', 'Hello')")
            for post in [2, 3] {
                try await database.pool.query(
                    "insert into darkroom.outbox (post_id, event, likes) values (\(Int64(post)), 'liked', 1)")
            }
            try await database.pool.query("select darkroom.delete_comment(3, 'eve')")
            // As erasures leave it: a comment without its row, and a post without its own while its comments go.
            try await database.pool.query("delete from darkroom.comments where author = 'goner'")
            try await database.pool.query("alter table darkroom.posts disable trigger posts_forget_reports")
            try await database.pool.query("delete from darkroom.posts where post_id > 1")
            for call in ["notify_of_events", "fill_inboxes"] {
                try await database.pool.query(PostgresQuery(unescaped: "select darkroom.\(call)()"))
            }
            let told = try await database.texts(
                """
                select concat_ws(' ', e.event, e.comment_id, e.is_told,
                                 case e.author_handle when darkroom.handle_of('owner') then 'owner' when darkroom.handle_of('bob') then 'bob'
                                      when darkroom.handle_of('eve') then 'eve' else '-' end)
                from darkroom.read_events('push') e order by e.number
                """)
            #expect(
                told == [
                    "commented 1 t bob", "commented 2 f -", "commented 3 f eve", "commented 4 f -",
                    "commented 5 f -", "liked f -",
                    "liked f -", "comment_deleted 3 f eve",
                ])
            let inbox = try await database.texts("select event || ' ' || times from darkroom.inbox('owner')")
            #expect(inbox == ["commented 1"])
        }
    }
}
