import Postgres
import TestKit
import Testing

/// Posts that readers may not see, in everything that shows posts.
@Suite("A held, hidden, removed or expired post", .timeLimit(.minutes(15)))
struct VisibilityTests {
    /// Every feed, as a query for post numbers that would show all of a town's posts.
    static let feeds = [
        "select post_id from darkroom.nearest_posts(47.6062, -122.3321, 100)",
        "select post_id from darkroom.posts_within(47.6062, -122.3321, 100000, 100)",
        "select post_id from darkroom.posts_within(47.6062, -122.3321, 500, 100)",
        "select post_id from darkroom.near_and_good_posts(47.6062, -122.3321, 9000, 100)",
        "select post_id from darkroom.latest_posts(100)",
        "select post_id from darkroom.latest_posts(100, in_place => ('place', 0))",
        "select post_id from darkroom.latest_posts(100, in_place => ('city', 0))",
        "select post_id from darkroom.latest_posts(100, in_place => ('division', 0))",
        "select post_id from darkroom.latest_posts(100, in_place => ('country', 0))",
        "select post_id from darkroom.latest_posts(100, by_uploader => 'shown')",
        "select post_id from darkroom.top_posts('likes', 100)",
        "select post_id from darkroom.top_posts('wilson', 100, in_place => ('place', 0))",
        "select post_id from darkroom.top_posts('likes', 100, in_place => ('city', 0))",
        "select post_id from darkroom.top_posts('weighted', 100, in_place => ('division', 0))",
        "select post_id from darkroom.top_posts('hot', 100, in_place => ('country', 0))",
        "select post_id from darkroom.top_posts('weighted', 100, in_category => 'shown')",
        "select post_id from darkroom.top_posts('hot', 100, in_activity => 'shown')",
        "select post_id from darkroom.top_posts('hot', 100, published_since => now() - interval '1 day')",
        "select post_id from darkroom.top_posts('likes', 100, latitude => 47.6062, longitude => -122.3321, radius_m => 9000)",
        "select p.post_id from darkroom.map_clusters(47, -123, 48, -122, 10) c, darkroom.cluster_posts(c.cluster_id, 100) p",
        "select post_id from darkroom.map_photos(47.6, -122.34, 47.62, -122.32, 18, 100)",
        "select d.post_id from generate_series(1, 40) i, darkroom.post_details(i) d",
        "select i as post_id from generate_series(1, 40) i, darkroom.post_comments(i)",
        "select d.post_id from darkroom.comments c, darkroom.comment_details(c.comment_id) d",
        "select p.post_id from darkroom.uploader_statistics('shown') s join darkroom.posts p on p.uploader = 'shown' where s.posts > 0",
    ]

    /// Five posts, one street apart, that are the best in town by every measure.
    static func five(_ database: QueueDatabase) async throws -> [Int64] {
        try await database.publishPosts(40)
        let ids = try await Array(database.visiblePosts().map(\.id).sorted().prefix(5))
        for (street, id) in ids.enumerated() {
            try await database.pool.query(
                """
                update darkroom.posts
                set latitude = 47.6062 + \(Double(street) * 0.001), longitude = -122.3321, country_geonameid = 0,
                    division_geonameid = 0, city_geonameid = 0, place_geonameid = 0,
                    category = 'shown', activity = 'shown', uploader = 'shown', published_at = now() - interval '1 minute'
                where post_id = \(id)
                """)
            try await database.pool.query(
                "select darkroom.vote_on_post(\(id), 'voter-' || n, 'like') from generate_series(1, 60) n")
            try await database.pool.query("select darkroom.add_comment(\(id), 'commenter', 'Nice')")
        }
        try await count(database)
        return ids
    }

    static func count(_ database: QueueDatabase) async throws {
        try await database.pool.query("select darkroom.tally_counters(1000000)")
        try await database.recomputeAverages()
        try await database.pool.query("select darkroom.tally_map(1000000)")
    }

    static func shown(_ database: QueueDatabase, _ feed: String) async throws -> Set<Int64> {
        let rows = try await database.pool.query(PostgresQuery(unescaped: feed))
        return Set(try rows.map { try $0.decode("post_id", as: Int64.self) })
    }

    @Test("is in no feed, on no board and on no map, and is in all again when it comes back")
    func invisible() async throws {
        try await QueueDatabase.with { database in
            let ids = try await Self.five(database)
            for feed in Self.feeds {
                #expect(try await Self.shown(database, feed).isSuperset(of: ids), "\(feed)")
            }
            for (id, state) in zip(ids, ["held", "hidden", "removed", "expired"]) {
                try await database.pool.query(
                    "update darkroom.posts set state = \(state)::darkroom.post_state where post_id = \(id)")
            }
            // The job that expires it is late.
            try await database.pool.query(
                "update darkroom.posts set expires_at = now() - interval '1 second' where post_id = \(ids[4])"
            )
            // At once, except for the map's counts, which follow with that job and the tally.
            for feed in Self.feeds {
                #expect(try await Self.shown(database, feed).isDisjoint(with: ids), "\(feed)")
            }
            try await database.pool.query("select darkroom.expire_posts()")
            try await Self.count(database)
            for feed in Self.feeds {
                #expect(try await Self.shown(database, feed).isDisjoint(with: ids), "\(feed)")
            }
            let best = try await Self.shown(
                database,
                "select best_post_id as post_id from darkroom.map_clusters(47.6, -122.34, 47.62, -122.32, 18)"
            )
            #expect(!best.isEmpty && best.isDisjoint(with: ids))
            try await database.pool.query(
                "update darkroom.posts set state = 'published', expires_at = null where post_id = any (\(ids))"
            )
            try await Self.count(database)
            for feed in Self.feeds {
                #expect(try await Self.shown(database, feed).isSuperset(of: ids), "\(feed)")
            }
        }
    }

    @Test("leaves every feed at the moment when its time is over, though nothing writes it")
    func momentOfExpiry() async throws {
        try await QueueDatabase.with { database in
            let ids = try await Self.five(database)
            try await database.pool.withTransaction { transaction in
                // The time of a transaction is that of its first statement.
                try await transaction.query("select now()")
                try await database.pool.query(
                    "update darkroom.posts set expires_at = clock_timestamp() where post_id = any (\(ids))")
                for feed in Self.feeds {
                    let before = try await transaction.query(PostgresQuery(unescaped: feed))
                    let shown = Set(try before.map { try $0.decode("post_id", as: Int64.self) })
                    #expect(shown.isSuperset(of: ids), "\(feed)")
                    #expect(try await Self.shown(database, feed).isDisjoint(with: ids), "\(feed)")
                }
            }
        }
    }
}
