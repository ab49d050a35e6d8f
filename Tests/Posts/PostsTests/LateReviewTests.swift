import JobQueue
import Postgres
import Posts
import TestKit
import Testing

@Suite("Reviews of posts whose time is over, or that are being erased,", .timeLimit(.minutes(15)))
struct LateReviewTests {
    @Test("expire a post at once if its time is over, with one event", arguments: [false, true])
    func over(isRemoved: Bool) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let post = try await ReviewTests.hiddenPost(in: database)
            if isRemoved { _ = try await database.reviews.review(post, .remove(.terms(nil)), by: "olga") }
            try await database.pool.query(
                "insert into darkroom.expiry_policies (lifetime, note) values ('1 hour', 'test')")
            try await database.pool.query(
                "update darkroom.posts set published_at = now() - interval '2 hours'")
            let outcome = try await database.reviews.review(post, isRemoved ? .restore : .approve, by: "olga")
            #expect(outcome.state == .expired && outcome.judged == 5)
            try await database.expire()
            #expect(
                try await database.events(of: post)
                    == (isRemoved
                        ? ["published", "hidden", "removed", "expired"] : ["published", "hidden", "expired"]))
            #expect(try await database.state(ofPost: post) == .expired)
            #expect(try await ReviewTests.records(database) == (0..<5).map { "r\($0) 0 1 0" })
            #expect(try await database.reviews.waiting(limit: 10).isEmpty)
            #expect(try await database.reviews.reviewCase(post).found.applicable == [])
        }
    }

    @Test("expire a photo that was held past the end of its activity, and show one whose time starts now")
    func heldOver() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            var posts: [Int64] = []
            for _ in 0..<2 { posts.append(try await PublishingTests.publish(in: database)) }
            for statement in [
                "insert into darkroom.expiry_policies (lifetime, ends_with_activity, note) values ('1 day', true, 'test')",
                "insert into darkroom.activities values ('fair', now() - interval '1 hour')",
                "update darkroom.posts set state = 'held', expires_at = now() - interval '1 hour'",
                """
                insert into darkroom.moderation_decisions (
                    post_id, decision, cause, policy_version, reports, from_state, to_state)
                select post_id, 'hold', 'look_alike', 1, 0, 'held', 'held' from darkroom.posts
                """,
                "delete from darkroom.outbox",
            ] {
                try await database.pool.query(PostgresQuery(unescaped: statement))
            }
            try await database.pool.query(
                "update darkroom.posts set activity = 'fair' where post_id = \(posts[0])")
            #expect(try await database.reviews.review(posts[0], .approve, by: "olga").state == .expired)
            #expect(try await database.reviews.review(posts[1], .approve, by: "olga").state == .published)
            try await database.expire()
            #expect(try await database.events(of: posts[0]) == ["expired"])
            #expect(try await database.events(of: posts[1]) == ["published"])
        }
    }

    @Test("are refused for a post that its uploader has deleted")
    func deleted() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let removed = try await ReviewTests.hiddenPost(in: database)
            let post = try await PublishingTests.publish(in: database)
            #expect(try await database.erasure.delete(post, of: "ada"))
            #expect(
                try await ReviewTests.refusal {
                    try await database.reviews.appeal(post, by: "ada", text: "Why?")
                }
                    == "55000")
            // As an older release accepted it.
            try await database.pool.query(
                "insert into darkroom.appeals (post_id, uploader, text) values (\(post), 'ada', 'Why?')")
            for action in [ReviewAction.restore, .remove(.terms(nil)), .approve] {
                let error = await #expect(throws: ReviewError.self) {
                    try await database.reviews.review(post, action, by: "olga")
                }
                #expect(error?.code == .leaving)
            }
            for table in ["removals", "removed_hashes", "moderation_decisions"] {
                let rows = try await database.number(
                    "select count(*) from darkroom.\(unescaped: table) where post_id = \(post)")
                #expect(rows == 0, "\(table)")
            }

            // A removal before the deletion stays on record, and nobody can appeal for what is being erased.
            _ = try await database.reviews.review(removed, .remove(.terms(nil)), by: "olga")
            #expect(try await database.erasure.delete(removed, of: "ada"))
            #expect(
                try await ReviewTests.refusal {
                    try await database.reviews.appeal(removed, by: "ada", text: "Why?")
                }
                    == "55000")
            let error = await #expect(throws: ReviewError.self) {
                try await database.reviews.review(removed, .restore, by: "olga")
            }
            #expect(error?.code == .leaving)
            #expect(
                try await database.number("select removals from darkroom.people where person = 'ada'") == 1)
        }
    }
}
