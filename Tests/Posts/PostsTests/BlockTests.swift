import JobStore
import Postgres
import TestKit
import Testing

/// Whom a person does not want to see.
@Suite("A block", .timeLimit(.minutes(15)))
struct BlockTests {
    /// Lists with their cursors, without the closing bracket and the number of rows.
    private static let lists = [
        "latest_posts(", "latest_posts(in_category => 'food', ",
        "latest_posts(published_since => '2025-12-10', ",
        "latest_posts(by_uploader => 'user-2', ",
        "nearest_posts(47.6062, -122.3321, ",
        "nearest_posts(47.6, -122.3, radius_m => 3000, in_activity => 'picnic', ",
        "nearest_posts(47.6, -122.3, in_place => ('country', 0), ",
        "posts_within(47.6062, -122.3321, 2000, ", "posts_within(47.6062, -122.3321, 100000, ",
        "posts_within(47.6062, -122.3321, 100000, in_category => 'food', ",
        "near_and_good_posts(47.6062, -122.3321, 9000, ",
        "near_and_good_posts(47.6062, -122.3321, 50000, in_category => 'street', ",
        "top_posts('likes', ", "top_posts('wilson', ", "top_posts('weighted', in_place => ('division', 1), ",
        "top_posts('hot', in_category => 'food', ",
        "top_posts('likes', latitude => 47.6062, longitude => -122.3321, radius_m => 9000, ",
        "cluster_posts((select c.cluster_id from darkroom.map_clusters(47, -123, 48, -122, 4) c limit 1), ",
        "voted_posts(", "voted_posts(in_vote => 'like', ", "venue_posts('v-1', ", "followed_posts(",
        "cluster_posts((select c.cluster_id from darkroom.map_clusters(47, -123, 48, -122, 4) c limit 1), in_category => 'food', ",
    ]

    static func block(_ handles: String, _ database: QueueDatabase) async throws {
        try await database.pool.query("delete from darkroom.blocks")
        try await database.pool.query(
            PostgresQuery(
                unescaped: """
                    select darkroom.block_author('ada', h.author_handle)
                    from (select distinct author_handle from darkroom.posts p where \(handles)) h
                    """))
    }

    /// Walks through a list in pages, each of which must be full but for the last.
    private static func pages(_ list: String, of size: Int, _ database: QueueDatabase) async throws -> [Int64]
    {
        var found: [Int64] = []
        var after = "null"
        while true {
            let rows = try await database.pool.query(
                PostgresQuery(
                    unescaped:
                        "select post_id, cursor from darkroom.\(list)at_most => \(size), after => \(after), viewer => 'ada')"
                ))
            found += try rows.map { try $0.decode("post_id", as: Int64.self) }
            guard rows.count == size, let last = rows.last else { return found }
            after = "'" + (try last.decode("cursor", as: String.self)) + "'"
        }
    }

    @Test("leaves the author's posts out of every list, and every page stays full")
    func everyList() async throws {
        try await QueueDatabase.with(FeedFixture(450, areSomeHidden: true)) {
            (database: QueueDatabase) async throws -> Void in
            try await database.pool.query("update darkroom.posts set anonymous = true where post_id % 5 = 1")
            try await database.pool.query(
                """
                select darkroom.vote_on_post(post_id, 'ada', case when post_id % 3 = 0 then 'dislike' else 'like' end)
                from darkroom.latest_posts(100) where post_id % 2 = 0
                """)
            try await database.pool.query(
                "update darkroom.posts set venue_id = 'v-1', venue_name = 'Pier' where post_id % 3 = 0")
            for follow in ["('country', 0)", "null, 47.6062, -122.3321, 3000, 'food'"] {
                try await database.pool.query(
                    PostgresQuery(unescaped: "select darkroom.follow('ada', \(follow))"))
            }
            let listed = try await database.texts(
                """
                select p.proname::text from pg_proc p
                where p.pronamespace = 'darkroom'::regnamespace and p.prosecdef and p.prorettype = 'darkroom.feed_post'::regtype
                  and 'after' = any (p.proargnames)
                """)
            #expect(Set(listed.compactMap(\.self)) == Set(Self.lists.map { String($0.prefix { $0 != "(" }) }))
            // One author, most of them, all, and those whose posts come in a row.
            let blocks = [
                "uploader = 'user-3' and not anonymous", "uploader <> 'user-4'", "true",
                "published_at > '2025-12-15' or anonymous",
            ]
            for list in Self.lists {
                try await database.pool.query("delete from darkroom.blocks")
                let all = try await Self.pages(list, of: 100, database)
                #expect(!all.isEmpty, "\(list)")
                for block in blocks {
                    try await Self.block(block, database)
                    let hidden = Set(
                        try await database.pool.query(
                            """
                            select post_id from darkroom.posts p join darkroom.blocks b on b.author_handle = p.author_handle
                            """
                        ).map { try $0.decode("post_id", as: Int64.self) })
                    for size in [3, 100] {
                        let found = try await Self.pages(list, of: size, database)
                        #expect(found == all.filter { !hidden.contains($0) }, "\(list) \(block) \(size)")
                    }
                }
            }
        }
    }

    @Test("takes the author's posts out of the map's clusters, and shows the best of the others")
    func map() async throws {
        try await QueueDatabase.with(FeedFixture(450, areSomeHidden: true)) {
            (database: QueueDatabase) async throws -> Void in
            try await database.pool.query("update darkroom.posts set anonymous = true where post_id % 5 = 1")
            try await database.tally()
            for block in [
                "uploader = 'user-3'", "uploader <> 'user-4'", "true", "published_at > '2025-12-15'",
            ] {
                try await Self.block(block, database)
                for (box, zoom) in [
                    ("47.4, -122.6, 47.8, -122.1, 10", 10), ("47.6, -122.34, 47.61, -122.32, 18", 18),
                    ("-85, -180, 85, 180, 2", 2), ("-20, 179, -10, -179, 8", 8),
                ] {
                    for (filter, condition) in [
                        ("", "true"), (", in_category => 'food'", "category = 'food'"),
                    ] {
                        let wrong = try await database.texts(
                            PostgresQuery(
                                unescaped: """
                                    with hot as (
                                        select f.*, darkroom.tile_at(position[0], position[1], darkroom.map_zoom(\(zoom))) as number,
                                               coalesce((select r.hot from darkroom.ranks r where r.post_id = f.post_id),
                                                        darkroom.age_magnitude(published_at)) as hot
                                        from darkroom.feed f where expires_at > now() or \(filter.isEmpty)),
                                    seen as (
                                        select number, count(*) as posts, (array_agg(post_id order by hot desc, post_id desc))[1] as best
                                        from hot where \(condition)
                                          and author_handle not in (select author_handle from darkroom.blocks) group by number),
                                    clusters as (
                                        select darkroom.cluster_number(darkroom.map_zoom(\(zoom)), (number >> 26)::integer, (number & 67108863)::integer) as number,
                                               posts, best from seen),
                                    shown as (
                                        select cluster_id, posts, best_post_id
                                        from darkroom.map_clusters(\(box)\(filter), viewer => 'ada')),
                                    everybody as (select cluster_id from darkroom.map_clusters(\(box)\(filter)))
                                    select cluster_id || ': ' || coalesce(s.posts::text, 'none') || ' best ' || coalesce(s.best_post_id::text, '')
                                           || ', not ' || coalesce(c.posts::text, 'none') || ' best ' || coalesce(c.best::text, '')
                                    from everybody left join shown s using (cluster_id) left join clusters c on c.number = cluster_id
                                    where (s.posts, s.best_post_id) is distinct from (c.posts, c.best)
                                    """))
                        #expect(wrong == [], "\(block) \(box) \(filter)")
                        let photos = try await database.texts(
                            PostgresQuery(
                                unescaped: """
                                    select p.post_id::text from darkroom.map_photos(\(box), 100\(filter), viewer => 'ada') p
                                    join darkroom.blocks b using (author_handle)
                                    """))
                        #expect(photos == [])
                    }
                }
            }
        }
    }

    @Test("hides nothing of one's own, and on the map only what the tally has counted")
    func ownAndLate() async throws {
        try await QueueDatabase.with(FeedFixture(4, areVotedOn: false)) {
            (database: QueueDatabase) async throws -> Void in
            try await database.pool.query(
                "update darkroom.posts set uploader = 'eve', latitude = 84 - post_id * 5, longitude = 170 - post_id * 20 where post_id < 3"
            )
            try await database.pool.query(
                "update darkroom.posts set uploader = 'ada', latitude = 84, longitude = 179.9 where post_id > 2"
            )
            try await database.tally()
            try await Self.block("uploader = 'eve'", database)
            func clusters() async throws -> [String?] {
                try await database.texts(
                    """
                    select posts || ' ' || round(latitude::numeric) || ' ' || round(longitude::numeric) || ' '
                           || (select uploader from darkroom.posts where post_id = best_post_id)
                    from darkroom.map_clusters(-85, -180, 85, 180, 0, viewer => 'ada')
                    """)
            }
            let seen = ["2 84 180 ada"]
            #expect(try await clusters() == seen)
            // What comes and goes is not in the tiles yet.
            try await database.pool.query(
                "update darkroom.posts set latitude = 10, longitude = 91 where post_id = 1")
            #expect(try await clusters() == seen)
            try await database.pool.query("update darkroom.posts set state = 'hidden' where uploader = 'eve'")
            #expect(try await clusters() == seen)
            try await database.tally()
            #expect(try await clusters() == seen)
            // A handle that became one's own.
            try await database.pool.query(
                "insert into darkroom.blocks (person, author_handle) select 'ada', darkroom.handle_of('ada')")
            let own = try await database.texts(
                "select count(*)::text from darkroom.latest_posts(viewer => 'ada')")
            #expect(own == ["2"])
        }
    }

    @Test("is listed for its person, the latest first, with the name of who has one")
    func listed() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.publishPosts(12, areVotedOn: false)
            try await database.pool.query("select darkroom.set_display_name('user-3', 'Zoë')")
            for person in 1...5 {
                try await database.pool.query(
                    "select darkroom.block_author('ada', author_handle) from darkroom.posts where uploader = \("user-\(person)")"
                )
            }
            try await database.pool.query(
                "select darkroom.block_author('bob', author_handle) from darkroom.posts where uploader = 'user-6'"
            )
            let names = try await database.texts(
                "select coalesce(display_name, '-') from darkroom.blocked_authors('ada')")
            #expect(names == ["-", "-", "Zoë", "-", "-"])
            let page = try await database.texts(
                """
                select author_handle from darkroom.blocked_authors('ada', 2, (
                    select max(cursor) from (select cursor from darkroom.blocked_authors('ada', 2) order by cursor limit 1) c))
                """)
            let all = try await database.texts("select author_handle from darkroom.blocked_authors('ada')")
            #expect(page == Array(all[2..<4]))
        }
    }

    @Test("of oneself, of no handle, or of too many is refused")
    func refused() async throws {
        try await QueueDatabase.with(FeedFixture(3, areVotedOn: false)) {
            (database: QueueDatabase) async throws -> Void in
            try await database.pool.query(
                "update darkroom.posts set uploader = 'ada', anonymous = post_id = 2")
            for post in [1, 2] {
                let error = await #expect(throws: PostgresError.self) {
                    try await database.pool.query(
                        "select darkroom.block_author('ada', author_handle) from darkroom.posts where post_id = \(post)"
                    )
                }
                #expect(error?.sqlState == .invalidParameterValue)
            }
            for handle in ["ada", "", String(repeating: "A", count: 24)] {
                let error = await #expect(throws: PostgresError.self) {
                    try await database.pool.query("select darkroom.block_author('ada', \(handle))")
                }
                #expect(error?.constraint == "handle_is_24_hexadecimal_digits")
            }
            try await database.pool.query("update darkroom.settings set blocks_at_most = 2")
            func block(_ number: Int) async throws {
                let handle = String(repeating: "\(number)", count: 24)
                try await database.pool.query("select darkroom.block_author('bob', \(handle))")
            }
            try await block(1)
            try await block(2)
            try await block(1)
            let error = await #expect(throws: PostgresError.self) { try await block(3) }
            #expect(error?.sqlState == "53400")
        }
    }

    @Test("holds for the app that acts for the person, and a role that acts for nobody does not learn of it")
    func roles() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.publishPosts(5, areVotedOn: false)
            try await database.makeLogins()
            try await Self.block("post_id < 3", database)
            for (role, seen) in [(InstallationRole.api, 3), (.reader, 5)] {
                try await database.connected(as: role) { (app: PostgresConnection) async throws -> Void in
                    let rows = try await app.query(
                        "select post_id from darkroom.latest_posts(viewer => 'ada')")
                    #expect(rows.count == seen)
                    let clusters = try await app.query(
                        "select sum(posts)::bigint as n from darkroom.map_clusters(-85, -180, 85, 180, 2, viewer => 'ada')"
                    )
                    #expect(try clusters[0].decode("n", as: Int.self) == seen)
                }
            }
        }
    }
}
