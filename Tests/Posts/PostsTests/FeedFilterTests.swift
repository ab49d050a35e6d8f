import FoundationEssentials
import Glibc
import TestKit
import Testing

/// Nearby posts of a category, an event and a time, checked one by one and searched among their neighbours.
@Suite("Feeds of a category, an event or a time", .timeLimit(.minutes(5)))
struct FeedFilterTests {
    struct Filter: Sendable {
        var sql: String
        var holds: @Sendable (FeedPost) -> Bool
    }

    static let since = Date(timeIntervalSince1970: 1_766_188_800)  // 2025-12-20
    static let filters = [
        Filter(sql: "in_category => 'food'") { $0.category == "food" },
        Filter(sql: "in_event => 'picnic'") { $0.event == "picnic" },
        Filter(sql: "since => '2025-12-20 00:00+00'") { $0.publishedAt >= since },
        Filter(sql: "in_category => 'street', in_event => 'picnic', since => '2025-12-20 00:00+00'") {
            $0.category == "street" && $0.event == "picnic" && $0.publishedAt >= since
        },
        Filter(sql: "in_event => 'nothing'") { _ in false },
    ]

    @Test("equal a search of all posts", arguments: [4000, 0])
    func filtered(lookedAtSingly: Int) async throws {
        try await QueueDatabase.with { database in
            try await database.publishPosts(1200)
            try await database.hideSomePosts()
            try await database.lookSinglyAt(atMost: lookedAtSingly)
            try await database.readCirclesWhole(atMost: lookedAtSingly / 100)
            let posts = try await database.visiblePosts()
            var answered = 0
            for (latitude, longitude) in FeedTests.readers {
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
                    let byDistance = near.map { ($0.metres, $0.post.id) }.sorted { $0 < $1 }
                    #expect(nearest == byDistance.prefix(18).map(\.1), "nearest, \(filter.sql)")
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
            #expect(answered > 500)
        }
    }

    private static func score(_ near: (post: FeedPost, metres: Double)) -> Double {
        let lead = Double(near.post.likes - near.post.dislikes)
        let magnitude = (lead < 0 ? -1 : 1) * log2(1 + abs(lead))
        let days = near.post.publishedAt.timeIntervalSince1970 / 86400
        return magnitude + days - log2(1 + near.metres / 500)
    }
}
