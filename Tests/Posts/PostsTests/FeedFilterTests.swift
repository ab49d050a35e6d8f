import FoundationEssentials
import Glibc
import Postgres
import TestKit
import Testing

/// Nearby posts of a category, an activity and a time, checked one by one and searched among their neighbours.
@Suite("Feeds of a category, an activity or a time", .timeLimit(.minutes(15)))
struct FeedFilterTests {
    struct Filter: Sendable {
        var sql: String
        var holds: @Sendable (FeedPost) -> Bool
    }

    static let since = Date(timeIntervalSince1970: 1_766_188_800)  // 2025-12-20
    static let filters = [
        Filter(sql: "in_category => 'food'") { $0.category == "food" },
        Filter(sql: "in_activity => 'picnic'") { $0.activity == "picnic" },
        Filter(sql: "published_since => '2025-12-20 00:00+00'") { $0.publishedAt >= since },
        Filter(
            sql: "in_category => 'street', in_activity => 'picnic', published_since => '2025-12-20 00:00+00'"
        ) {
            $0.category == "street" && $0.activity == "picnic" && $0.publishedAt >= since
        },
        Filter(sql: "in_activity => 'nothing'") { _ in false },
    ]

    @Test("equal a search of all posts", arguments: [4000, 0])
    func filtered(lookedAtSingly: Int) async throws {
        try await QueueDatabase.with(FeedFixture(1200, areSomeHidden: true)) { database in
            try await database.lookSinglyAt(atMost: lookedAtSingly)
            try await database.readCirclesWhole(atMost: lookedAtSingly / 100)
            let posts = try await database.visiblePosts()
            var answered = 0
            for (latitude, longitude) in FeedTests.readers.every(3) {
                for filter in Self.filters {
                    let near = posts.filter(filter.holds).map {
                        (post: $0, metres: FeedTests.metres($0, latitude, longitude))
                    }
                    func found(_ feed: String) async throws -> [Int64] {
                        try await FeedTests.pages(
                            database, "select * from darkroom.\(feed), \(filter.sql), after => AFTER)",
                            count: 3)
                    }
                    let nearest = try await found("nearest_posts(\(latitude), \(longitude), 6")
                    let byDistance = FeedTests.nearest(near.map(\.post), latitude, longitude)
                    #expect(nearest == Array(byDistance.prefix(18)), "nearest, \(filter.sql)")
                    for radius in [400.0, 4000, 40_000] {
                        let within = try await found(
                            "nearest_posts(\(latitude), \(longitude), 6, \(radius)")
                        let close = near.filter { $0.metres <= radius }.map(\.post)
                        #expect(
                            within == Array(FeedTests.nearest(close, latitude, longitude).prefix(18)),
                            "nearest within \(radius), \(filter.sql)")
                    }
                    for radius in [400.0, 4000, 40_000] {
                        let within = try await found("posts_within(\(latitude), \(longitude), \(radius), 6")
                        let byTime = near.filter { $0.metres <= radius }.map {
                            ($0.post.publishedAt, $0.post.id)
                        }
                        .sorted { $0 > $1 }
                        #expect(within == byTime.prefix(18).map(\.1), "within \(radius), \(filter.sql)")
                        let good = try await found(
                            "near_and_good_posts(\(latitude), \(longitude), \(radius), 6")
                        let byScore = near.filter { $0.metres <= radius }.map { (Self.score($0), $0.post.id) }
                            .sorted { $0 > $1 }
                        #expect(good == byScore.prefix(18).map(\.1), "near and good \(radius), \(filter.sql)")
                        answered += good.count
                    }
                }
            }
            #expect(answered > Extent.of(100, check: 500))
        }
    }

    @Test("of a crowded spot are full, although its newest posts have expired", arguments: [4000, 0])
    func expired(whole: Int) async throws {
        try await QueueDatabase.with(FeedFixture(60)) { database in
            try await database.readCirclesWhole(atMost: whole)
            for change in [
                "update darkroom.posts set latitude = 47.6, longitude = -122.3",
                """
                update darkroom.feed set expires_at = now() - interval '1 second'
                where post_id in (select post_id from darkroom.feed order by published_at desc limit 20)
                """,
            ] { try await database.pool.query(PostgresQuery(unescaped: change)) }
            let expected = try await database.texts(
                "select post_id::text from darkroom.feed where expires_at > now() order by published_at desc, post_id desc limit 12"
            )
            let found = try await database.texts(
                "select post_id::text from darkroom.posts_within(47.6, -122.3, 100, 12)")
            #expect(found == expected && found.count == 12)
        }
    }

    private static func score(_ near: (post: FeedPost, metres: Double)) -> Double {
        let lead = Double(near.post.likes - near.post.dislikes)
        let magnitude = (lead < 0 ? -1 : 1) * log2(1 + abs(lead))
        let days = near.post.publishedAt.timeIntervalSince1970 / 86400
        return magnitude + days - log2(1 + near.metres / 500)
    }

    @Test(
        "keep a post of the very moment from which they begin, and none of the moment at which they end",
        arguments: ["published", "taken"])
    func bounds(time: String) async throws {
        try await QueueDatabase.with(FeedFixture(30)) { (database: QueueDatabase) async throws -> Void in
            try await database.pool.query(
                "update darkroom.posts set taken_at = published_at - interval '1 day'")
            let moment = try await database.texts(
                "select \(unescaped: time)_at::text from darkroom.posts where post_id = 7")[0]
            for list in [
                "latest_posts(", "top_posts('hot', ", "nearest_posts(47.6, -122.3, ",
                "posts_within(47.6, -122.3, 100000, ",
            ] {
                for (bound, isKept) in [("since", true), ("until", false)] {
                    let found = try await database.texts(
                        """
                        select post_id::text from darkroom.\(unescaped: list)at_most => 100,
                            \(unescaped: time)_\(unescaped: bound) => \(moment)::timestamptz)
                        """)
                    #expect(found.contains("7") == isKept, "\(list) \(bound)")
                }
            }
        }
    }
}
