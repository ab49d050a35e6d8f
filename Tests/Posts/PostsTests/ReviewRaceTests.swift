import JobStore
import Postgres
import Posts
import TestKit
import Testing

@Suite("Reviews at the same time", .timeLimit(.minutes(10)))
struct ReviewRaceTests {
    /// The first review waits for the row of bob, which a third session holds. The second one, which judges ada, waits
    /// for it too. Had each locked its reporter before its uploader, then each would hold what the other needs next.
    @Test("do not deadlock if the uploaders have reported each other's posts")
    func mutual() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let hers = try await PublishingTests.publish(in: database, uploader: "ada")
            let his = try await PublishingTests.publish(in: database, uploader: "bob")
            try await database.report(hers, by: "bob")
            try await database.report(his, by: "ada")
            try await database.moderateAll()
            let reviews = try await database.pool.withTransaction {
                (holder) async throws -> [Task<ReviewOutcome, any Error>] in
                try await holder.query("select from darkroom.people where person = 'bob' for update")
                return [
                    try await database.start {
                        try await database.reviews.review(hers, .remove(.terms(nil)), by: "olga")
                    },
                    try await database.start {
                        try await database.reviews.review(his, .remove(.terms(nil)), by: "olga")
                    },
                ]
            }
            for review in reviews { #expect(try await review.value.judged == 1) }
            #expect(try await ReviewTests.records(database) == ["ada 1 0 1", "bob 1 0 1"])
        }
    }

    /// The second post is held by a third session, for which first the single decision waits and then that on both.
    @Test("of one post and of many do not deadlock if the same person has reported them")
    func many() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            var posts: [Int64] = []
            for _ in 0..<2 { posts.append(try await PublishingTests.publish(in: database)) }
            for post in posts { try await database.report(post, by: "bob") }
            try await database.moderateAll()
            let (first, last) = (posts[0], posts[1])
            let (single, both) = try await database.pool.withTransaction {
                (holder) async throws -> (Task<Int, any Error>, Task<[String?], any Error>) in
                try await holder.query("select from darkroom.posts where post_id = \(last) for update")
                let single = try await database.start {
                    try await database.number(
                        "select reports_judged from darkroom.decide_on_post(\(last), 'approve', 'olga')")
                }
                let both = try await database.start {
                    try await database.texts(
                        "select problem from darkroom.decide_on_posts(\([first, last])::bigint[], 'remove', 'olga')"
                    )
                }
                return (single, both)
            }
            #expect(try await single.value == 1)
            #expect(try await both.value == [nil, nil])
        }
    }

    /// The activity's end is moved to the past while the post is removed, which the move does not touch.
    @Test("take turns with a move of the end of the post's activity", arguments: [true, false])
    func movedEnd(isMoveFirst: Bool) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let post = try await ReviewTests.hiddenPost(in: database)
            for statement in [
                "update darkroom.posts set activity = 'fair'",
                "insert into darkroom.expiry_policies (activity, ends_with_activity, note) values ('fair', true, '')",
                "insert into darkroom.activities values ('fair', '2100-01-01')",
            ] {
                try await database.pool.query(PostgresQuery(unescaped: statement))
            }
            _ = try await database.reviews.review(post, .remove(.terms(nil)), by: "olga")
            let move: @Sendable () async throws -> Void = {
                try await database.pool.query("update darkroom.activities set ends_at = '2020-01-01'")
            }
            let restore: @Sendable () async throws -> PostState = {
                try await database.reviews.review(post, .restore, by: "olga").state
            }
            if isMoveFirst {
                let restored = try await database.pool.withTransaction {
                    (mover) async throws -> Task<PostState, any Error> in
                    try await mover.query("update darkroom.activities set ends_at = '2020-01-01'")
                    return try await database.start(restore)
                }
                #expect(try await restored.value == .expired)
            } else {
                let (restored, moved) = try await database.pool.withTransaction {
                    (holder) async throws -> (Task<PostState, any Error>, Task<Void, any Error>) in
                    // The restoration has shown the post, and waits for the record of a reporter.
                    try await holder.query("select from darkroom.people where person = 'r0' for update")
                    return (try await database.start(restore), try await database.start(move))
                }
                #expect(try await restored.value == .published)
                try await moved.value
            }
            #expect(
                try await database.texts("select expires_at::date::text from darkroom.posts") == [
                    "2020-01-01"
                ])
            #expect(
                try await database.number("select count(*) from darkroom.latest_posts()") == 0)
        }
    }
}
