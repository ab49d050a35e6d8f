import Postgres
import TestKit
import Testing

/// More posts at exactly one position than the index of positions takes.
@Suite("Posts stacked on one position", .timeLimit(.minutes(15)))
struct StackTests {
    @Test("are found page by page, as by a search of all posts", arguments: [4000, 0])
    func pages(lookedAtSingly: Int) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.stackAbove(5)
            try await database.lookSinglyAt(atMost: lookedAtSingly)
            try await database.publishPosts(400)
            try await database.crowd()
            try await database.hideSomePosts()
            try await Self.compare(database)
            let stacked = try await database.number("select count(*) from darkroom.feed where is_stacked")
            #expect(stacked > 200)
            // Those below leave, and others take their places.
            try await database.pool.query(
                "update darkroom.posts set state = 'hidden' where post_id in (select post_id from darkroom.feed where not is_stacked)"
            )
            try await database.tally()
            try await Self.compare(database)
            try await database.pool.query("select darkroom.rebuild_feeds()")
            try await Self.compare(database)
        }
    }

    private static let conditions: [(String, @Sendable (FeedPost) -> Bool)] = [
        ("in_category => 'food'", { $0.category == "food" }),
        ("in_activity => 'picnic'", { $0.activity == "picnic" }),
        ("published_since => '2025-12-20 00:00+00'", { $0.publishedAt >= FeedFilterTests.since }),
        (
            "in_category => 'street', in_activity => 'picnic'",
            { $0.category == "street" && $0.activity == "picnic" }
        ),
        (
            "in_category => 'street', published_since => '2025-12-20 00:00+00'",
            { $0.category == "street" && $0.publishedAt >= FeedFilterTests.since }
        ),
    ]

    private static func compare(_ database: QueueDatabase) async throws {
        let posts = try await database.visiblePosts()
        #expect(posts.count > 100)
        for (latitude, longitude) in [(47.6, -122.3), (47.6005, -122.3004), (10, 20), (0, 0)] {
            let found = try await FeedTests.pages(
                database,
                "select * from darkroom.nearest_posts(\(latitude), \(longitude), 7, after => AFTER)",
                count: 30)
            #expect(found == Array(FeedTests.nearest(posts, latitude, longitude).prefix(210)))
            for (condition, holds) in Self.conditions {
                let found = try await FeedTests.pages(
                    database,
                    "select * from darkroom.nearest_posts(\(latitude), \(longitude), 7, \(condition), after => AFTER)",
                    count: 10)
                let expected = FeedTests.nearest(posts.filter(holds), latitude, longitude)
                #expect(found == Array(expected.prefix(70)), "\(condition)")
            }
        }
        let level = 20
        let number =
            Int64(level) << 40 | MapTests.tile(47.6, -122.3, level: level).reduce(0) { $0 << 20 | Int64($1) }
        for feed in ["cluster_posts(\(number), 7", "posts_within(47.6, -122.3, 10, 7"] {
            let found = try await FeedTests.pages(
                database, "select * from darkroom.\(feed), after => AFTER)", count: 30)
            let there = posts.filter { FeedTests.metres($0, 47.6, -122.3) < 10 }
                .sorted { ($0.publishedAt, $0.id) > ($1.publishedAt, $1.id) }
            #expect(found == Array(there.map(\.id).prefix(210)), "\(feed)")
        }
    }

    /// Who leaves of five posts at one position, the first two of another category and without an activity; which search
    /// must find the last one; and what it finds.
    static let leavers: [(leave: [Int], search: String)] = [
        ([0, 1, 2, 3], ""), ([2, 3], ", in_category => 'food'"), ([2, 3], ", in_activity => 'picnic'"),
    ]

    /// Hides posts below a stacked one, while its transaction is open.
    @Test("are found although all below them leave before they commit", arguments: leavers)
    func below(leave: [Int], search: String) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let posts = try await database.pile()
            try await database.pool.query(
                "update darkroom.posts set state = 'hidden' where post_id = \(posts[4])")
            try await database.withRivals { (stacking: Rival, hiding: Rival) async throws -> Void in
                try await stacking.run("begin")
                try await stacking.run(
                    "update darkroom.posts set state = 'published' where post_id = \(posts[4])")
                let hide = try await hiding.start(
                    "update darkroom.posts set state = 'hidden' where post_id = any (\(leave.map { posts[$0] }))"
                )
                try await stacking.run("commit")
                try await hide.value
            }
            try await Self.expect(posts[4], search, database)
        }
    }

    /// The tally holds the only stacked post while the last one below it leaves.
    @Test("are found although others lock them when the last one below leaves", arguments: leavers)
    func locked(leave: [Int], search: String) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let posts = try await database.pile()
            if leave.count > 2 {
                // Otherwise they could take the place instead.
                try await database.pool.query(
                    "update darkroom.posts set state = 'hidden' where post_id = any (\(Array(posts[2...3])))")
            }
            try await database.withRivals { (counting: Rival, hiding: Rival) async throws -> Void in
                try await counting.run("begin")
                try await counting.run("select darkroom.rank_post(\(posts[4]))")
                let hide = try await hiding.start(
                    "update darkroom.posts set state = 'hidden' where post_id = any (\(leave.map { posts[$0] }))"
                )
                try await counting.run("commit")
                try await hide.value
            }
            try await Self.expect(posts[4], search, database)
        }
    }

    /// An app's transaction deletes a post on which others are stacked, and one that is stacked.
    @Test("do not make those who delete their posts there wait for each other")
    func deletions() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let posts = try await database.pile()
            try await database.withRivals { (first: Rival, second: Rival) async throws -> Void in
                for (rival, gone) in [(first, [posts[0], posts[3]]), (second, [posts[1], posts[4]])] {
                    try await rival.run("set lock_timeout = '1ms'")
                    try await rival.run("begin")
                    for post in gone {
                        try await rival.run(
                            "update darkroom.posts set state = 'hidden' where post_id = \(post)")
                    }
                }
                try await database.pool.query("select darkroom.tally_map()")
                try await first.run("commit")
                try await second.run("commit")
            }
            for search in ["", ", in_category => 'food'", ", in_activity => 'picnic'"] {
                try await Self.expect(posts[2], search, database)
            }
        }
    }

    @Test("are found although the tally came before those below had left", arguments: leavers)
    func tallyBetween(leave: [Int], search: String) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let posts = try await database.pile()
            try await database.pool.query(
                "update darkroom.posts set state = 'hidden' where post_id = \(posts[4])")
            try await database.tally()
            try await database.withRivals { (hiding: Rival, _: Rival) async throws -> Void in
                try await hiding.run("begin")
                try await hiding.run(
                    "update darkroom.posts set state = 'hidden' where post_id = any (\(leave.map { posts[$0] }))"
                )
                try await database.pool.query(
                    "update darkroom.posts set state = 'published' where post_id = \(posts[4])")
                try await database.tally()
                try await hiding.run("commit")
            }
            try await Self.expect(posts[4], search, database)
        }
    }

    private static func expect(_ post: Int64, _ search: String, _ database: QueueDatabase) async throws {
        try await database.pool.query("select darkroom.tally_map()")
        let found = try await database.texts(
            "select post_id::text from darkroom.nearest_posts(47.6, -122.3\(unescaped: search))")
        #expect(found == [String(post)])
    }

    @Test("are never below a position with fewer posts than may lie there")
    func size() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            // A circle or cluster is read whole only if the index of positions shows all of its posts.
            let margin = try await database.number("select darkroom.stack_size() - darkroom.whole_at_most()")
            #expect(margin > 0)
        }
    }
}

extension QueueDatabase {
    /// How many posts at one position the index of positions takes. Circles are read whole up to fewer posts.
    func stackAbove(_ size: Int) async throws {
        try await pool.query(
            PostgresQuery(
                unescaped: """
                    create or replace function darkroom.stack_size() returns integer language sql immutable
                    as $$ select \(size) $$
                    """))
        try await readCirclesWhole(atMost: size - 1)
    }

    /// Publishes five posts at one position, where two are not stacked. The last three are of a category and an activity, in
    /// which the last one is stacked too. Searches use the indexes of these.
    func pile() async throws -> [Int64] {
        try await stackAbove(2)
        try await lookSinglyAt(atMost: 0)
        try await publishPosts(5, areVotedOn: false)
        let posts = try await visiblePosts().map(\.id).sorted()
        for (number, post) in posts.enumerated() {
            try await pool.query(
                """
                update darkroom.posts
                set latitude = 47.6, longitude = -122.3, category = \(number < 2 ? "street" : "food"),
                    activity = \(number < 2 ? nil : "picnic")
                where post_id = \(post)
                """)
        }
        return posts
    }

    /// Moves most posts to one point, and others to a point a few metres away.
    func crowd() async throws {
        try await pool.query(
            """
            update darkroom.posts set latitude = 47.6, longitude = -122.3 + 0.0004 * (post_id % 3 / 2) where post_id % 4 < 3
            """)
        try await tally()
    }
}
