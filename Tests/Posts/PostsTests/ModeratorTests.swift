import JobStore
import Postgres
import Posts
import TestKit
import Testing

@Suite("An app's own moderators", .timeLimit(.minutes(15)))
struct ModeratorTests {
    @Test("read the whole list in pages, whatever digits a driver's session shows", arguments: [0, -15, 3])
    func pages(digits: Int) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            for number in 0..<9 {
                let post = try await PublishingTests.publish(in: database)
                // Scores that a third tells apart in the last digits, three of each.
                try await database.pool.query(
                    "insert into darkroom.reviews (post_id, severity, score, cause) values (\(post), 2, (10 + \(number / 3) * 1e-9) / 3, 'score')"
                )
            }
            try await database.pool.withConnection { (session: PostgresConnection) async throws -> Void in
                try await session.query("select set_config('extra_float_digits', \(String(digits)), false)")
                var read: [Int64] = []
                var cursor: String?
                while read.count <= 9 {
                    let rows = try await session.query(
                        "select post_id, cursor from darkroom.posts_to_review(at_most => 2, after => \(cursor))"
                    )
                    guard let last = rows.last else { break }
                    read += try rows.map { try $0.decode("post_id", as: Int64.self) }
                    cursor = try last.decode("cursor", as: String.self)
                }
                #expect(read.count == 9 && Set(read).count == 9, "\(read)")
            }
        }
    }

    @Test("list, read and decide in bulk with their role alone, and do not see who reported")
    func bulk() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.makeLogins()
            var posts: [Int64] = []
            for _ in 0..<4 { posts.append(try await PublishingTests.publish(in: database)) }
            // The first three photos differ in at most seven bits, the fourth in all.
            for (post, hash) in zip(posts, [0, 0x7F, 1, -1] as [Int64]) {
                try await database.pool.query(
                    "update darkroom.posts set perceptual_hash = \(hash) where post_id = \(post)")
                try await database.report(post, by: "secret-reporter", reason: .illegal)
            }
            try await database.moderateAll()
            try await database.connected(as: .moderator) {
                (connection: PostgresConnection) async throws -> Void in
                func listed(_ query: PostgresQuery) async throws -> [Int64] {
                    try await connection.query(query).map { try $0.decode("post_id", as: Int64.self) }
                }
                #expect(
                    try await listed("select post_id from darkroom.posts_to_review('published')") == posts)
                let alike = try await listed(
                    "select post_id from darkroom.posts_to_review(like_post => \(posts[0]))")
                #expect(alike == Array(posts[0..<3]))
                let one = try await connection.query(
                    "select to_jsonb(p)::text as whole, seen, reports -> 0 ->> 'counted' as counted from darkroom.post_to_review(\(posts[0])) p"
                )
                #expect(try one[0].decode("counted", as: String.self) == "2")
                let whole = try one[0].decode("whole", as: String.self)
                #expect(!whole.contains("secret-reporter") && whole.contains("illegal"))

                let decided = try await connection.query(
                    """
                    select post_id, state, problem from darkroom.decide_on_posts(
                        \(alike + [4040, posts[3]])::bigint[], 'approve', 'olga', note => 'harmless')
                    """)
                #expect(
                    try decided.map { try $0.decode("state", as: String?.self) }
                        == ["published", "published", "published", "published", nil])
                #expect(
                    try decided.map { try $0.decode("problem", as: String?.self) }
                        == [nil, nil, nil, nil, "there is no post 4040"])
                #expect(try await listed("select post_id from darkroom.posts_to_review()") == [])
            }
            #expect(
                try await database.texts(
                    "select concat_ws(' ', agreed, disagreed) from darkroom.people where person = 'secret-reporter'"
                )
                    == ["0 4"])
            #expect(
                try await database.texts(
                    "select distinct concat_ws(' ', counted, coalesce(disregarded, '-')) from darkroom.moderation_evidence"
                )
                    == ["2 -"])
        }
    }

    @Test("are refused what makes no sense, before any work")
    func refusals() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let post = try await PublishingTests.publish(in: database)
            let long = String(repeating: "x", count: 5001)
            for (call, state) in [
                ("decide_on_post(\(post), 'keep', 'olga')", "22023"),
                ("decide_on_post(\(post), null, 'olga')", "23502"),
                ("decide_on_post(\(post), 'remove', null)", "23502"),
                ("decide_on_post(\(post), 'remove', '')", "23514"),
                ("decide_on_post(\(post), 'remove', '\(long)')", "23514"),
                ("decide_on_post(\(post), 'remove', 'olga', note => '\(long)')", "23514"),
                ("decide_on_post(\(post), 'remove', 'olga', law => '\(long)')", "23514"),
                ("decide_on_post(\(post), 'remove', 'olga', law => 'a', terms => 'b')", "22023"),
                ("decide_on_post(\(post), 'approve', 'olga', terms => 'b')", "22023"),
                ("decide_on_post(\(post), 'approve', 'olga')", "55000"),
                ("decide_on_post(4040, 'approve', 'olga')", "P0002"),
                ("decide_on_posts(array_fill(1::bigint, array[101]), 'approve', 'olga')", "22023"),
                ("decide_on_posts(array[[1], [2]]::bigint[], 'approve', 'olga')", "23514"),
                ("posts_to_review('gone')", "22023"), ("posts_to_review(after => 'x')", "22023"),
                ("posts_to_review(after => '9:1e999:1:1')", "22023"),
            ] as [(String, SQLState)] {
                let error = await #expect(throws: PostgresError.self, "\(call.prefix(60))") {
                    try await database.pool.query(PostgresQuery(unescaped: "select * from darkroom.\(call)"))
                }
                #expect(error?.sqlState == state, "\(call.prefix(60))")
            }
        }
    }
}
