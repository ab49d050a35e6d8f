import Postgres
import Posts
import TestKit
import Testing

@Suite("Cursors", .timeLimit(.minutes(15)))
struct CursorTests {
    static let feeds = [
        "latest_posts(", "nearest_posts(47.6, -122.3, ", "top_posts('hot', ",
        "posts_within(47.6, -122.3, 5000, ", "near_and_good_posts(47.6, -122.3, 5000, ",
    ]

    @Test(
        "lead through a feed whole whatever digits a driver's session shows", arguments: feeds, [0, -15, 3])
    func digits(feed: String, digits: Int) async throws {
        try await QueueDatabase.with(FeedFixture(60)) { (database: QueueDatabase) async throws -> Void in
            // Posts of one burst, whose times differ only in the last digits.
            try await database.pool.query(
                "update darkroom.posts set published_at = timestamptz '2026-01-01 12:00:00.1' + post_id * interval '1 microsecond'"
            )
            try await database.pool.withConnection { (session: PostgresConnection) async throws -> Void in
                let all = try await session.query(
                    "select post_id from darkroom.\(unescaped: feed)at_most => 100)"
                ).map { try $0.decode("post_id", as: Int64.self) }
                #expect(all.count > 14)
                try await session.query("select set_config('extra_float_digits', \(String(digits)), false)")
                var read: [Int64] = []
                var cursor: String?
                while read.count <= all.count {
                    let rows = try await session.query(
                        "select post_id, cursor from darkroom.\(unescaped: feed)at_most => 7, after => \(cursor))"
                    )
                    guard let last = rows.last else { break }
                    read += try rows.map { try $0.decode("post_id", as: Int64.self) }
                    cursor = try last.decode("cursor", as: String.self)
                }
                #expect(read == all)
            }
        }
    }

    static let strange = [
        "", "~", "1", "1~", "~1", ".~1", "1.2.3~5", "1e999~5", "1e-999~5", "1e300~5", "-1e300~5",
        "99999999999999999999~1", "NaN~1", "Infinity~1", "1~-1", "1~1~1", "1~1' or true",
        "1~9999999999999999999",
    ]

    @Test("that no feed has made are refused with the same code", arguments: feeds)
    func unknown(feed: String) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            for cursor in Self.strange {
                let error = await #expect(throws: PostgresError.self, "\(cursor)") {
                    try await database.pool.query(
                        "select from darkroom.\(unescaped: feed)after => \(cursor))")
                }
                #expect(error?.sqlState == "22023", "\(cursor)")
            }
        }
    }

    @Test("of another feed are refused", arguments: feeds)
    func foreign(feed: String) async throws {
        try await QueueDatabase.with(FeedFixture(60)) { (database: QueueDatabase) async throws -> Void in
            let others =
                Self.feeds + [
                    "top_posts('likes', ",
                    "cluster_posts((select c.cluster_id from darkroom.map_clusters(-80, -180, 80, 180, 2) c limit 1), ",
                ]
            for other in others where other != feed {
                let cursors = try await database.texts(
                    "select cursor from darkroom.\(unescaped: other)at_most => 2)")
                let error = await #expect(throws: PostgresError.self, "\(other)") {
                    try await database.pool.query(
                        "select from darkroom.\(unescaped: feed)after => \(try #require(cursors.last)))")
                }
                #expect(error?.sqlState == "22023", "\(other)")
            }
        }
    }
}
