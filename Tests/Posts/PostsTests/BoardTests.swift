import FoundationEssentials
import Glibc
import Postgres
import TestKit
import Testing

@Suite("Rank boards", .timeLimit(.minutes(15)))
struct BoardTests {
    /// The score interval as Wilson gives it, with z of 95 %.
    static func wilson(_ likes: Int, _ dislikes: Int) -> Double {
        let n = Double(likes + dislikes)
        guard n > 0 else { return 0 }
        let z = 1.959963984540054
        let share = Double(likes) / n
        return (share + z * z / (2 * n) - z * ((share * (1 - share) + z * z / (4 * n)) / n).squareRoot())
            / (1 + z * z / n)
    }

    static func number(_ sql: PostgresQuery, _ database: QueueDatabase) async throws -> Double {
        try #require(try await database.pool.query(sql).first).decode("n", as: Double.self)
    }

    @Test("score by Wilson as the published formula does, to 1e-9")
    func wilsonScore() async throws {
        try await QueueDatabase.with { database in
            for (likes, dislikes) in [
                (0, 0), (1, 0), (0, 1), (5, 0), (2, 1), (600, 400), (5500, 4500), (100, 1), (1_000_000, 3),
                (2_000_000_000, 2_000_000_000),
            ] {
                let ours = try await Self.number(
                    "select darkroom.wilson_score(\(likes), \(dislikes)) as n", database)
                #expect(abs(ours - Self.wilson(likes, dislikes)) < 1e-9, "\(likes), \(dislikes)")
            }
            // Statsmodels' proportion_confint(5, 5, 0.05, "wilson") and that of (600, 1000).
            #expect(
                abs(try await Self.number("select darkroom.wilson_score(5, 0) as n", database) - 0.5655175)
                    < 1e-7)
            #expect(
                abs(
                    try await Self.number("select darkroom.wilson_score(600, 400) as n", database) - 0.5693094
                ) < 1e-6)
        }
    }

    /// What a simple difference or average gets wrong, after E. Miller, "How Not To Sort By Average Rating".
    @Test(
        "order by Wilson what differences and averages get wrong",
        arguments: [
            // Likes and dislikes of pairs in which the first is better.
            ((600, 400), (5500, 4500)), ((100, 1), (2, 0)), ((5, 0), (1, 0)), ((5, 0), (60, 40)),
            ((5, 0), (10, 4)),
        ] as [((Int, Int), (Int, Int))])
    func pairs(better: (Int, Int), worse: (Int, Int)) async throws {
        try await QueueDatabase.with { database in
            let first = try await Self.number(
                "select darkroom.wilson_score(\(better.0), \(better.1)) as n", database)
            let second = try await Self.number(
                "select darkroom.wilson_score(\(worse.0), \(worse.1)) as n", database)
            #expect(first > second)
        }
    }

    @Test("weigh ratings by the averages of all posts, and are in that order, to 1e-9")
    func weighted() async throws {
        try await QueueDatabase.with(FeedFixture(400)) { database in
            try await database.recomputeAverages()
            let posts = try await database.visiblePosts()
            let voted = posts.filter { $0.likes + $0.dislikes > 0 }
            let count = Double(posts.count)
            let averageVotes = Double(posts.reduce(0) { $0 + $1.likes + $1.dislikes }) / count
            let averageRating = Double(posts.reduce(0) { $0 + $1.likes - $1.dislikes }) / count
            let rows = try await database.pool.query(
                "select post_id, score from darkroom.top_posts('weighted', 100)")
            #expect(rows.count == 100 && voted.count > 100)
            let byID = Dictionary(uniqueKeysWithValues: voted.map { ($0.id, $0) })
            for row in rows {
                let post = try #require(byID[try row.decode("post_id", as: Int64.self)])
                let votes = Double(post.likes + post.dislikes)
                let rating = Double(post.likes - post.dislikes)
                // AveVotes times AveRating and the post's own votes times its rating, over all these votes.
                let expected = (averageVotes * averageRating + votes * rating) / (averageVotes + votes)
                let difference = abs(try row.decode("score", as: Double.self) - expected)
                #expect(difference < 1e-9)
            }
            let order = voted.map { post in
                let votes = Double(post.likes + post.dislikes)
                let lead = Double(post.likes - post.dislikes)
                return ((averageVotes * averageRating + votes * lead) / (averageVotes + votes), post.id)
            }.sorted { $0 > $1 }
            let listed = try await FeedTests.pages(
                database, "select * from darkroom.top_posts('weighted', 100, after => AFTER)", count: 5)
            #expect(Array(listed.prefix(order.count)) == order.map(\.1))
        }
    }

    /// What a post is ranked by, as an expression of ranks r.
    static func score(_ board: String) -> String {
        switch board {
        case "weighted":
            """
            (select darkroom.weighted_rating(r.likes, r.dislikes, a.average_rating, a.average_votes)
             from darkroom.rating_averages a)
            """
        default: "r.\(board)"
        }
    }

    @Test("know how many likes a score needs, whatever the votes and averages are")
    func bounds() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let votes = """
                (select likes, dislikes from generate_series(0, 70) likes, generate_series(0, 70) dislikes
                 union all
                 select floor(2 ^ (random() * 31)), floor(2 ^ (random() * 31)) - 1 from generate_series(1, 2000)
                 union all
                 select floor(2 ^ (random() * 31)), floor(random() * 3) from generate_series(1, 2000)) v (likes, dislikes)
                """
            let wrong = try await database.number(
                """
                select count(*) from \(unescaped: votes)
                where likes < darkroom.likes_for_wilson(darkroom.wilson_score(likes::bigint, dislikes::bigint))
                   or likes = 0 and darkroom.wilson_score(likes::bigint, dislikes::bigint) <> 0
                """)
            #expect(wrong == 0)
            let wronglyWeighted = try await database.number(
                """
                select count(*) from \(unescaped: votes),
                    unnest('{-50, -1, -0.1, 0, 0.1, 1, 7.5, 300}'::float8[]) as rating, unnest('{0, 0.01, 1, 9, 1000}'::float8[]) as votes
                where likes < darkroom.likes_for_weighted(
                    darkroom.weighted_rating(likes::bigint, dislikes::bigint, rating, votes), rating, votes)
                """)
            #expect(wronglyWeighted == 0)
            // A bound that is far too low would read the whole list.
            let loose = try await database.number(
                """
                select count(*) from generate_series(1, 1000000, 37) likes, unnest('{-3, 0, 2}'::float8[]) as rating
                where darkroom.likes_for_wilson(darkroom.wilson_score(likes, 0)) < likes * 0.999 - 2
                   or darkroom.likes_for_weighted(darkroom.weighted_rating(likes, 0, rating, 5), rating, 5) < likes * 0.999 - 2
                      and likes > 3
                """)
            #expect(loose == 0)
        }
    }

    @Test(
        "rank by scores in which the most liked posts are not the best",
        arguments: [
            // As many likes each, so that dislikes decide; the liked ones are the disliked ones; the rest is below the average;
            // everything is disliked; and equal votes.
            ("100", "post_id * 37 % 101"), ("post_id * 37 % 200", "(post_id * 37 % 200) * 2"),
            ("case when post_id % 100 = 0 then 1000 else 1 end", "post_id % 3"),
            ("post_id % 2", "post_id * 37 % 50 + 1"), ("3", "1"),
        ].every(3))
    func unlike(likes: String, dislikes: String) async throws {
        try await QueueDatabase.with(FeedFixture(900, areSomeHidden: true)) {
            (database: QueueDatabase) async throws -> Void in
            try await database.lookSinglyAt(atMost: 0)
            try await database.pool.query(
                PostgresQuery(
                    unescaped: """
                        insert into darkroom.counter_changes (post_id, likes, dislikes)
                        select post_id, \(likes) - coalesce(c.likes, 0), \(dislikes) - coalesce(c.dislikes, 0)
                        from darkroom.posts left join darkroom.post_counters c using (post_id)
                        """))
            try await database.tally()
            let all = try await database.visiblePosts()
            for board in ["wilson", "weighted"] {
                let values = try await database.values(of: board)
                for scope in [Self.scopes[0], Self.scopes[4], Self.scopes[7], Self.scopes[9]] {
                    let arguments = ["'\(board)'", "13", scope.0, "after => AFTER"].filter { !$0.isEmpty }
                    let found = try await FeedTests.pages(
                        database, "select * from darkroom.top_posts(\(arguments.joined(separator: ", ")))",
                        count: 80)
                    #expect(found == Self.ranked(all.filter { scope.1($0) }, by: values), "\(arguments)")
                }
            }
        }
    }

    @Test(
        "read a part of the posts, also if a kind of post fills few of the weeks",
        arguments: ["wilson", "weighted"].every(2))
    func partly(board: String) async throws {
        try await QueueDatabase.with(FeedFixture(4000)) { (database: QueueDatabase) async throws -> Void in
            try await database.pool.query(
                """
                update darkroom.posts p set category = 'fair', published_at = case when p.post_id = f.first
                    then '2020-01-01' else timestamptz '2025-12-10' + p.post_id % 240 * interval '1 hour' end
                from (select min(post_id) as first from darkroom.posts) f
                """)
            let all = try await database.number("select count(*) from darkroom.ranks where category = 'fair'")
            let read = try await database.pool.withTransaction {
                (session: PostgresConnection) async throws -> Int in
                // With what earlier transactions of the session have read, and not reported.
                func fetched() async throws -> Int {
                    try await session.query(
                        "select idx_tup_fetch::integer as n from pg_stat_xact_user_tables where relname = 'ranks'"
                    )[0]
                    .decode("n", as: Int.self)
                }
                let before = try await fetched()
                try await session.query("select from darkroom.top_posts(\(board), in_category => 'fair')")
                return try await fetched() - before
            }
            #expect(all > 1500 && read > 20 && read < all / 4, "\(read) of \(all)")
        }
    }

    @Test("keep the averages until one has moved by half, and look at them each hour")
    func averages() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.publishPosts(2500)
            #expect(try await database.number("select count(*) from darkroom.ranks") > 1001)
            let averages: PostgresQuery =
                "select concat_ws(' ', average_rating, average_votes) from darkroom.rating_averages"
            func vote(_ likes: Int, hoursLater hours: Int) async throws -> String {
                try await database.pool.query(
                    """
                    update darkroom.rating_averages set computed_at = computed_at - make_interval(hours => \(hours))
                    """)
                try await database.pool.query(
                    """
                    insert into darkroom.counter_changes (post_id, likes) select post_id, \(likes) from darkroom.ranks
                    where post_id % 20 = 0
                    """)
                try await database.tally()
                return try #require(try await database.texts(averages).first ?? nil)
            }
            let first = try await vote(100, hoursLater: 2)
            // A little more, and after an hour; much more, but within the hour; and then when it is over.
            #expect(try await vote(1, hoursLater: 2) == first)
            #expect(try await vote(1000, hoursLater: 0) == first)
            #expect(try await vote(1, hoursLater: 2) != first)
        }
    }

    static let scopes: [(String, @Sendable (FeedPost) -> Bool)] = [
        ("", { _ in true }), ("in_place => ('place', 1)", { $0.place == 1 }),
        ("in_place => ('city', 1)", { $0.city == 1 }),
        ("in_place => ('division', 0)", { $0.division == 0 }),
        ("in_place => ('country', 0)", { $0.country == 0 }),
        (
            "in_place => ('city', 0), latitude => 47.61, longitude => -122.33, radius_m => 1500",
            { $0.city == 0 && FeedTests.metres($0, 47.61, -122.33) <= 1500 }
        ),
        ("in_activity => 'picnic'", { $0.activity == "picnic" }),
        ("in_category => 'food'", { $0.category == "food" }),
        ("in_place => ('place', 0), in_category => 'street'", { $0.place == 0 && $0.category == "street" }),
        (
            "latitude => 47.61, longitude => -122.33, radius_m => 1500",
            { FeedTests.metres($0, 47.61, -122.33) <= 1500 }
        ),
        (
            "latitude => -16.5, longitude => 179.999, radius_m => 2000",
            { FeedTests.metres($0, -16.5, 179.999) <= 2000 }
        ),
    ]

    @Test(
        "rank by every measure, of all and of each scope",
        arguments: ["wilson", "likes", "hot", "weighted"].every(2), scopes.every(2))
    func boards(board: String, scope: (String, @Sendable (FeedPost) -> Bool)) async throws {
        try await QueueDatabase.with(FeedFixture(900, areSomeHidden: true)) { database in
            let posts = try await database.visiblePosts().filter { scope.1($0) }
            let values = try await database.values(of: board)
            for areFew in [true, false] {
                try await database.lookSinglyAt(atMost: areFew ? 4000 : 0)
                for window in Self.windows {
                    let arguments = ["'\(board)'", "8", scope.0, window.0, "after => AFTER"].filter {
                        !$0.isEmpty
                    }
                    let found = try await FeedTests.pages(
                        database, "select * from darkroom.top_posts(\(arguments.joined(separator: ", ")))",
                        count: 3)
                    let expected = Self.ranked(
                        posts.filter { $0.publishedAt >= window.1 && $0.publishedAt < window.2 }, by: values
                    ).prefix(24)
                    #expect(found == Array(expected), "\(arguments)")
                }
            }
        }
    }

    /// The numbers of a board: posts with votes by their values, then those without, newest first.
    private static func ranked(_ posts: [FeedPost], by values: [Int64: Double]) -> [Int64] {
        let voted = posts.compactMap { post in values[post.id].map { ($0, post.id) } }.sorted { $0 > $1 }
        let others = posts.filter { values[$0.id] == nil }.map { ($0.publishedAt, $0.id) }.sorted { $0 > $1 }
        return voted.map(\.1) + others.map(\.1)
    }

    /// All times, days, part of a day, parts of the first and last day or week, and times beyond all posts.
    static let windows: [(String, Date, Date)] = [
        window(nil, nil), window("2025-12-20T00:00:00Z", nil),
        window("2025-11-27T00:00:00Z", "2025-12-30T00:00:00Z"), window(nil, "2025-12-04T13:00:00Z"),
        window("2025-12-31T20:00:00Z", nil), window("2025-12-15T02:00:00Z", "2025-12-15T21:00:00Z"),
        window("2025-12-15T10:00:00Z", "2025-12-15T11:10:00Z"),
        window("2025-12-10T23:20:00Z", "2025-12-25T00:40:00Z"),
        window("2025-12-11T01:00:00Z", "2025-12-24T22:59:00Z"),
        window("2027-01-01T00:00:00Z", nil), window(nil, "2024-01-01T00:00:00Z"),
    ]

    private static func window(_ since: String?, _ until: String?) -> (String, Date, Date) {
        let bounds = [since.map { "published_since => '\($0)'" }, until.map { "published_until => '\($0)'" }]
            .compactMap { $0 }
        return (
            bounds.joined(separator: ", "),
            since.flatMap { try? Date($0, strategy: .iso8601) } ?? .distantPast,
            until.flatMap { try? Date($0, strategy: .iso8601) } ?? .distantFuture
        )
    }

    @Test("weigh the first votes by the averages at once", arguments: [1, 2])
    func firstVotes(tallies: Int) async throws {
        try await QueueDatabase.with(FeedFixture(20, areVotedOn: false)) {
            (database: QueueDatabase) async throws -> Void in
            for half in 0..<tallies {
                try await database.pool.query(
                    """
                    insert into darkroom.counter_changes (post_id, likes, dislikes)
                    select post_id, case when number = 1 then 1 when number % 2 = 1 then 90 else 10 end,
                           case when number = 1 then 0 when number % 2 = 1 then 10 else 90 end
                    from (select post_id, row_number() over (order by post_id) as number from darkroom.posts) n
                    where number % \(tallies) = \(half)
                    """)
                try await database.tally()
            }
            let best = try await database.texts(
                "select likes::text from darkroom.top_posts('weighted', 11)")
            // One like of one says less than 90 of 100, and more than 10 of 100.
            #expect(best == Array(repeating: "90", count: 9) + ["1", "10"])
        }
    }

    @Test(
        "rank posts within an area that has many",
        arguments: [(20.0, 500), (20, 0), (450, 500), (450, 0), (90_000, 500), (90_000, 0)].every(3))
    func area(radius: Double, readWhole: Int) async throws {
        try await QueueDatabase.with(FeedFixture(1200, spread: 0.4, areSomeHidden: true)) { database in
            try await database.readCirclesWhole(atMost: readWhole)
            try await database.lookSinglyAt(atMost: 0)
            let posts = try await database.visiblePosts()
            for (board, condition) in [
                ("likes", ""), ("wilson", ", in_category => 'food'"),
                ("hot", ", published_since => '2025-12-01T00:00:00Z'"),
            ] {
                let values = try await database.values(of: board)
                let since = try Date("2025-12-01T00:00:00Z", strategy: .iso8601)
                for reader in posts.prefix(6) + posts.filter({ abs($0.latitude) > 85 }).prefix(1) {
                    let found = try await FeedTests.pages(
                        database,
                        """
                        select * from darkroom.top_posts('\(board)', 6, latitude => \(reader.latitude),
                            longitude => \(reader.longitude), radius_m => \(radius)\(condition), after => AFTER)
                        """, count: 3)
                    let close = posts.filter {
                        FeedTests.metres($0, reader.latitude, reader.longitude) <= radius
                            && (board != "wilson" || $0.category == "food")
                            && (board != "hot" || $0.publishedAt >= since)
                    }
                    #expect(
                        found == Array(Self.ranked(close, by: values).prefix(18)),
                        "\(board) at \(reader.latitude), \(reader.longitude)")
                }
            }
        }
    }

    @Test(
        "refuse an invalid radius",
        arguments: [("-1", "23514"), ("0", "22023"), ("'NaN'", "23514"), ("'infinity'", "23514")])
    func radius(metres: String, state: SQLState) async throws {
        try await QueueDatabase.with { database in
            await #expect { () async throws -> Void in
                _ = try await database.pool.query(
                    PostgresQuery(
                        unescaped:
                            "select * from darkroom.top_posts('likes', latitude => 1, longitude => 1, radius_m => \(metres))"
                    ))
            } throws: { ($0 as? PostgresError)?.sqlState == state }
        }
    }

    @Test(
        "rank by every measure over many years", arguments: ["likes", "wilson", "weighted", "hot"].every(3))
    func years(board: String) async throws {
        try await QueueDatabase.with(FeedFixture(300, areSomeHidden: true)) { database in
            try await database.pool.query(
                "update darkroom.posts set published_at = published_at - interval '9 years' where post_id % 3 = 0"
            )
            try await database.recomputeAverages()
            let posts = try await database.visiblePosts()
            let values = try await database.values(of: board)
            let until = try Date("2025-12-15T00:00:00Z", strategy: .iso8601)
            let found = try await FeedTests.pages(
                database,
                "select * from darkroom.top_posts('\(board)', 8, published_until => '2025-12-15T00:00:00Z', after => AFTER)",
                count: 4)
            let expected = Self.ranked(posts.filter { $0.publishedAt < until }, by: values).prefix(32)
            #expect(found == Array(expected) && found.count == 32)
        }
    }
}

extension QueueDatabase {
    /// How many posts of a rare condition are checked one by one. With 0, all are searched among their neighbours.
    func lookSinglyAt(atMost count: Int) async throws {
        try await pool.query(
            PostgresQuery(
                unescaped: """
                    create or replace function darkroom.few_at_most() returns integer language sql immutable
                    as $$ select \(count) $$
                    """))
    }

    /// Up to how many posts a circle is read whole. With 0, every circle is read from the lists of tiles.
    func readCirclesWhole(atMost count: Int) async throws {
        try await pool.query(
            PostgresQuery(
                unescaped: """
                    create or replace function darkroom.whole_at_most() returns integer language sql immutable
                    as $$ select \(count) $$
                    """))
    }

    func values(of board: String) async throws -> [Int64: Double] {
        let rows = try await pool.query(
            PostgresQuery(
                unescaped:
                    "select post_id, (\(BoardTests.score(board)))::float8 as value from darkroom.ranks r"))
        return Dictionary(
            uniqueKeysWithValues: try rows.map {
                (try $0.decode("post_id", as: Int64.self), try $0.decode("value", as: Double.self))
            })
    }
}
