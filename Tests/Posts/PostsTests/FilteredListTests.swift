import Postgres
import TestKit
import Testing

/// Every list under random filters, compared with a plain query of the posts.
@Suite("Lists under random filters", .timeLimit(.minutes(15)))
struct FilteredListTests {
    /// How many posts a search looks at one by one, reads of a circle as a whole, and keeps at one position: as in
    /// production, and so few that the other ways of searching are taken.
    static let limits: [(few: Int, whole: Int, stack: Int)] = [
        (few: 4000, whole: 500, stack: 600), (0, 15, 20), (60, 15, 20), (0, 0, 20),
    ]

    @Test("equal a plain query, page by page", arguments: limits, Extent.of([3], check: [1, 2]) as [UInt64])
    func equal(limits: (few: Int, whole: Int, stack: Int), seed: UInt64) async throws {
        try await QueueDatabase.with(FeedFixture(1200)) { (database: QueueDatabase) async throws -> Void in
            try await database.takePhotosAtTimes()
            try await database.hideSomePosts()
            try await database.lookSinglyAt(atMost: limits.few)
            try await database.readCirclesWhole(atMost: limits.whole)
            try await database.setLimit("stack_size", limits.stack)
            for statement in [
                "select darkroom.rebuild_feeds()", "analyze darkroom.feed", "analyze darkroom.ranks",
            ] {
                try await database.pool.query(PostgresQuery(unescaped: statement))
            }
            var random = SplitMix(state: seed)
            var found = 0
            for _ in 0..<Extent.of(5, check: 120) {
                let filter = RandomFilter(using: &random)
                for list in FilteredList.all(using: &random) {
                    let size = [3, 9, 20].randomElement(using: &random) ?? 3
                    let expected = try await database.texts(
                        PostgresQuery(unescaped: "\(list.reference(filter)) limit \(size * 3)"))
                    let rows = try await FeedTests.pages(database, list.call(filter, size: size), count: 3)
                    #expect(rows.map(String.init) == expected, "\(list.call(filter, size: size))")
                    found += rows.count
                }
                let tiles = FilteredMap(using: &random)
                let counted = try await database.texts(PostgresQuery(unescaped: tiles.call(filter)))
                let expected = try await database.texts(PostgresQuery(unescaped: tiles.reference(filter)))
                #expect(counted == expected, "\(tiles.call(filter))")
                found += counted.count
            }
            #expect(found > Extent.of(25, check: 1000))
        }
    }

    @Test("follow a change of the time at which a photo was taken, and of its hemisphere")
    func change() async throws {
        try await QueueDatabase.with(FeedFixture(1)) { (database: QueueDatabase) async throws -> Void in
            func seasons() async throws -> [String?] {
                try await database.texts(
                    """
                    select s || ' ' || h from unnest(array['spring', 'summer', 'autumn', 'winter']) s, generate_series(0, 23) h
                    where exists (select from darkroom.latest_posts(in_season => s, from_hour => h, to_hour => h + 1))
                    """)
            }
            #expect(try await seasons().isEmpty)
            for (change, expected) in [
                ("taken_at_local = '2026-02-28 23:59:59', latitude = 1", "winter 23"),
                ("taken_at_local = '2026-03-01 00:00'", "spring 0"), ("latitude = -1", "autumn 0"),
                ("taken_at_local = '2026-12-31 12:30'", "summer 12"),
            ] {
                try await database.pool.query(PostgresQuery(unescaped: "update darkroom.posts set \(change)"))
                #expect(try await seasons() == [expected], "\(change)")
            }
        }
    }

    @Test(
        "refuse what is no filter",
        arguments: [
            "from_hour => 25", "to_hour => -1", "from_hour => 6, to_hour => 6", "from_hour => 24",
            "to_hour => 0",
            "in_season => 'Winter'", "in_season => ''", "in_place => ('town', 5)", "in_place => (null, 5)",
            "in_place => ('city', null)",
        ])
    func refused(filter: String) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            for list in [
                "latest_posts(", "nearest_posts(1, 1, ", "posts_within(1, 1, ", "near_and_good_posts(1, 1, ",
                "top_posts('hot', ", "cluster_posts(9007199254740992, ", "map_clusters(0, 0, 1, 1, 5, ",
                "map_photos(0, 0, 1, 1, 5, ",
            ] {
                let error = await #expect(throws: PostgresError.self, "\(list)") {
                    try await database.pool.query(
                        PostgresQuery(unescaped: "select from darkroom.\(list)\(filter))"))
                }
                #expect(error?.sqlState == "22023" && error?.hint != nil, "\(list)")
            }
        }
    }

    @Test(
        "refuse a map for which too many posts would be looked at, and count the same one if its condition is rare"
    )
    func bounded() async throws {
        try await QueueDatabase.with(FeedFixture(300)) { (database: QueueDatabase) async throws -> Void in
            try await database.lookSinglyAt(atMost: 0)
            try await database.setLimit("map_at_most", 99)
            let map = "select posts::text from darkroom.map_clusters(-80, -180, 89.95, 180, 2, "
            let error = await #expect(throws: PostgresError.self) {
                try await database.pool.query(PostgresQuery(unescaped: map + "in_category => 'food')"))
            }
            #expect(error?.sqlState == "22023" && error?.hint?.contains("99") == true)
            let picnic = try await database.texts(PostgresQuery(unescaped: map + "in_activity => 'picnic')"))
            #expect(picnic.compactMap { Int($0 ?? "") }.reduce(0, +) == 60)
        }
    }
}

extension QueueDatabase {
    /// Gives nine of ten posts of `publishPosts` a local time at which the photo was taken, and most of these the time itself;
    /// some posts a rare activity and a rare uploader, views, and the position of another post.
    fileprivate func takePhotosAtTimes() async throws {
        for statement in [
            """
            update darkroom.posts p
            set taken_at_local = case when post_id % 10 > 0 then published_at at time zone 'UTC' - later end,
                taken_at = case when post_id % 10 > 1 then published_at - later end,
                activity = case when post_id % 97 = 0 then 'rare' else activity end,
                uploader = case when post_id % 89 = 0 then 'user-99' else uploader end,
                latitude = case when post_id % 6 = 0 then o.latitude else p.latitude end,
                longitude = case when post_id % 6 = 0 then o.longitude else p.longitude end
            from (select post_id as id, post_id * 7919 % 7207 * interval '1 hour' as later from darkroom.posts) l,
                 (select latitude, longitude from darkroom.posts where place_geonameid = 0 order by post_id limit 1) o
            where l.id = p.post_id
            """,
            "insert into darkroom.counter_changes (post_id, views) select post_id, post_id * 31 % 977 from darkroom.posts",
            "select darkroom.tally_counters(1000000)", "select darkroom.tally_map(1000000)",
        ] { try await pool.query(PostgresQuery(unescaped: statement)) }
    }

    fileprivate func setLimit(_ name: String, _ count: Int) async throws {
        try await pool.query(
            PostgresQuery(
                unescaped:
                    "create or replace function darkroom.\(name)() returns integer language sql immutable as $$ select \(count) $$"
            ))
    }
}
