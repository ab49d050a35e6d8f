import FoundationEssentials
import JobQueue
import JobStore
import Postgres
import Posts
import TestKit
import Testing

@Suite("Posts that reports have hidden", .timeLimit(.minutes(15)))
struct ReturnTests {
    private static func hiddenPost(in database: QueueDatabase) async throws -> Int64 {
        let post = try await PublishingTests.publish(in: database)
        for reporter in 0..<5 { try await database.report(post, by: "r\(reporter)-\(post)") }
        try await database.moderateAll()
        try #require(try await database.state(ofPost: post) == .hidden)
        return post
    }

    /// Lets time pass for the reports on a post and for their next weighing.
    private static func pass(days: Int, for post: Int64, in database: QueueDatabase) async throws {
        for (table, column) in [("reports", "created_at"), ("reviews", "weigh_at")] {
            try await database.pool.query(
                """
                update darkroom.\(unescaped: table)
                set \(unescaped: column) = \(unescaped: column) - make_interval(days => \(days)) where post_id = \(post)
                """)
        }
    }

    @Test("come back once the reports are too old, even if nobody reports them again")
    func lifetime() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let post = try await Self.hiddenPost(in: database)
            #expect(
                try await database.texts(
                    """
                    select (w.weigh_at = min(r.created_at) + interval '180 days')::text
                    from darkroom.reviews w join darkroom.reports r using (post_id) group by w.post_id, w.comment_id
                    """) == ["true"])
            try await Self.pass(days: 179, for: post, in: database)
            try await database.expire()
            #expect(try await database.jobs(in: [.waiting, .scheduled]).isEmpty, "they count still")
            try await Self.pass(days: 2, for: post, in: database)
            try await database.expire()
            try await database.moderateAll()
            #expect(try await database.state(ofPost: post) == .published)
            #expect(try await database.events(of: post) == ["published", "hidden", "restored"])
            #expect(try await database.number("select count(*) from darkroom.reviews") == 0)
        }
    }

    @Test("are left to a person while an appeal is open, however old the reports are")
    func appealed() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let post = try await Self.hiddenPost(in: database)
            _ = try await database.reviews.appeal(post, by: "ada", text: "Why?")
            try await Self.pass(days: 181, for: post, in: database)
            try await database.expire()
            #expect(try await database.jobs(in: [.waiting, .scheduled]).isEmpty)
            #expect(try await database.state(ofPost: post) == .hidden)
        }
    }

    @Test("come back as expired, without being shown, if their time is over by then")
    func over() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let post = try await Self.hiddenPost(in: database)
            try await database.pool.query("update darkroom.posts set expires_at = now() - interval '1 hour'")
            try await Self.pass(days: 181, for: post, in: database)
            for _ in 0..<2 {
                try await database.expire()
                try await database.moderateAll()
            }
            #expect(try await database.state(ofPost: post) == .expired)
            #expect(try await database.events(of: post) == ["published", "hidden", "expired"])
            let last = try #require(try await database.decisions.decisions(on: post).last)
            #expect(last.kind == .show && last.to == .expired)
        }
    }

    @Test("are weighed once by each policy, in batches, if they may come back without a person")
    func batches() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            var posts: [Int64] = []
            for _ in 0..<6 { posts.append(try await Self.hiddenPost(in: database)) }
            _ = try await database.reviews.appeal(posts[5], by: "ada", text: "Why?")
            // Held because of its uploader.
            let held = try await PublishingTests.publish(in: database)
            try await database.pool.query("update darkroom.posts set state = 'held' where post_id = \(held)")
            try await database.pool.query(
                """
                insert into darkroom.reviews (post_id, severity, score, cause) values (\(held), 2, 0, 'uploader_record')
                """)
            let waiting: PostgresQuery = """
                select subject_id::text from darkroom.jobs where kind = 'moderate' order by subject_id
                """
            try await database.expire()
            #expect(try await database.texts(waiting) == [], "the policy in force has weighed them")

            _ = try await database.policies.set(note: "other reasons") { $0.weightOther = 0.4 }
            let expected = posts[..<5].map { Optional(String($0)) }
            try await database.expire(mostWeighed: 3)
            #expect(try await database.texts(waiting) == Array(expected[..<3]), "the first ones")
            try await database.expire()
            #expect(try await database.texts(waiting) == expected, "two at a time, one job each")
            try await database.expire()
            #expect(try await database.texts(waiting) == expected, "not again while they are waited for")
            try await database.moderateAll()
            for post in posts {
                let state = try await database.state(ofPost: post)
                #expect(state == .hidden, "the score is what it was")
            }
            try await database.expire()
            #expect(try await database.texts(waiting) == [])

            // A lost moderation is repeated.
            _ = try await database.policies.set(note: "lenient") { $0.hideThreshold = 50 }
            try await database.expire()
            try await database.pool.query("delete from darkroom.jobs where kind = 'moderate'")
            try await database.pool.query(
                "update darkroom.reviews set weigh_at = weigh_at - interval '61 minutes'")
            try await database.expire()
            try await database.moderateAll()
            for post in posts {
                let state = try await database.state(ofPost: post)
                #expect(state == (post == posts[5] ? .hidden : .published))
            }
        }
    }

    @Test("by an older release are weighed by the next run")
    func olderRelease() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let post = try await Self.hiddenPost(in: database)
            try await database.pool.query("update darkroom.reviews set weighed_by = 0, weigh_at = null")
            try await database.pool.query(
                "update darkroom.reports set created_at = created_at - interval '200 days'")
            try await database.expire()
            try await database.moderateAll()
            #expect(try await database.state(ofPost: post) == .published)
        }
    }
}
