import FoundationEssentials
import JobQueue
import JobStore
import Postgres
import Posts
import TestKit
import Testing

@Suite("Reported posts", .timeLimit(.minutes(15)))
struct ModerationTests {
    @Test("are hidden when the score reaches the policy's threshold, which is a row")
    func hiding() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.pool.query(
                "insert into darkroom.moderation_policies (hide_threshold, note) values (2, 'test')")
            let post = try await PublishingTests.publish(in: database)

            #expect(try await database.report(post, by: "r1"))
            #expect(try await !database.report(post, by: "r1"), "one a reporter and post")
            try await database.moderateAll()
            #expect(try await database.reading.post(post)?.state == .published)
            #expect(try await database.reading.post(post)?.reportCount == 1)

            #expect(try await database.report(post, by: "r2"))
            try await database.moderateAll()
            #expect(try await database.reading.post(post)?.state == .hidden)
            #expect(try await database.reading.posts(in: [.published], limit: 10).isEmpty)
            #expect(try await database.reading.posts(in: [.hidden], limit: 10).map(\.id) == [post])
            #expect(
                try await database.texts(
                    """
                    select concat_ws(' ', decision, cause, policy_version, reports, from_state, to_state, score, threshold,
                                     coalesce(decider, 'rule'))
                    from darkroom.moderation_decisions order by decision_id
                    """) == [
                        "keep below_threshold 2 1 published published 1 2 rule",
                        "hide score 2 2 published hidden 2 2 rule",
                    ])
            #expect(
                try await database.texts(
                    """
                    select concat_ws(' ', reporter, e.reason, record_weight, account_weight, reason_weight, counted)
                    from darkroom.moderation_evidence e join darkroom.moderation_decisions using (decision_id)
                    where decision = 'hide' order by reporter
                    """) == ["r1 spam 1 1 1 1", "r2 spam 1 1 1 1"])
            #expect(try await database.events(of: post) == ["published", "hidden"])
            #expect(try await database.texts("select cause from darkroom.reviews") == ["score"])
        }
    }

    @Test("are shown again automatically at the lower threshold, and stay listed as reported")
    func hysteresis() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let post = try await PublishingTests.publish(in: database)
            for reporter in 0..<5 { try await database.report(post, by: "r\(reporter)") }
            try await database.moderateAll()
            #expect(try await database.state(ofPost: post) == .hidden)

            // Five of nine are between the two thresholds, five of thirteen below both. Nobody reports it again.
            for (threshold, state) in [(9.0, PostState.hidden), (13, .published)] {
                _ = try await database.policies.set(note: "higher") { $0.hideThreshold = threshold }
                try await database.expire()
                try await database.moderateAll()
                let found = try await database.state(ofPost: post)
                #expect(found == state, "at \(threshold)")
            }
            #expect(try await database.events(of: post) == ["published", "hidden", "restored"])
            #expect(try await database.texts("select cause from darkroom.reviews") == ["reported"])
        }
    }

    @Test("are not hidden by accounts that are new, nor by those that report the same posts")
    func groups() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            var posts: [Int64] = []
            for _ in 0..<5 { posts.append(try await PublishingTests.publish(in: database)) }
            for reporter in 0..<10 {
                try await database.report(posts[0], by: "new\(reporter)", accountDays: nil)
                for post in posts[1...3] {
                    try await database.report(post, by: "brigade\(reporter)", reason: .other)
                }
            }
            try await database.moderateAll()
            #expect(try await database.state(ofPost: posts[0]) == .published)

            for reporter in 0..<10 { try await database.report(posts[4], by: "brigade\(reporter)") }
            try await database.moderateAll()
            #expect(try await database.state(ofPost: posts[4]) == .published)
            for reporter in 0..<5 { try await database.report(posts[4], by: "independent\(reporter)") }
            try await database.moderateAll()
            #expect(try await database.state(ofPost: posts[4]) == .hidden)
            #expect(
                try await database.number(
                    """
                    select count(*) from darkroom.moderation_evidence join darkroom.moderation_decisions using (decision_id)
                    where post_id = \(posts[4]) and group_number = 1
                    """) == 10)
        }
    }

    @Test("need more reports if more people see them")
    func views() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            // The rules do not depend on where views are counted.
            try await database.pool.query(
                """
                create or replace function darkroom.audience(post_id bigint) returns bigint
                language sql stable as 'select 70000::bigint'
                """)
            let post = try await PublishingTests.publish(in: database)
            for reporter in 0..<7 {
                #expect(try await database.state(ofPost: post) == .published)
                try await database.report(post, by: "r\(reporter)")
                try await database.moderateAll()
            }
            #expect(try await database.state(ofPost: post) == .hidden)
            #expect(
                try await database.texts("select max(views)::text from darkroom.moderation_decisions") == [
                    "70000"
                ])
        }
    }

    @Test("have at most one moderate job waiting")
    func coalescing() async throws {
        try await QueueDatabase.with { database in
            let post = try await PublishingTests.publish(in: database)
            for reporter in 0..<6 { try await database.report(post, by: "r\(reporter)") }
            #expect(try await database.jobs(in: [.waiting]).isEmpty, "a report only writes itself down")
            let running = try await database.claimModeration()
            #expect(try await database.jobs(in: [.waiting]).isEmpty)
            // A running job does not see reports that arrive meanwhile, so they get another job.
            for reporter in ["late", "later"] {
                try await database.report(post, by: reporter)
                try await database.queueModerations()
                #expect(try await database.jobs(in: [.waiting]).count == 1)
            }
            try await database.store.end(
                running.lease, as: .returned(Reason(code: "worker_stopped", message: "Stopped.")))
            #expect(try await database.jobs(in: [.waiting]).count == 2)
        }
    }

    @Test("have their photo held if it is uploaded again before a person has decided")
    func hiddenPhotoAgain() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let post = try await ReviewTests.hiddenPost(in: database)
            #expect(try await database.number("select count(*) from darkroom.removed_hashes") == 1)
            _ = try await database.reviews.review(post, .approve, by: "olga")
            #expect(try await database.number("select count(*) from darkroom.removed_hashes") == 0)
        }
    }

    @Test(
        "that are gone keep their reports, and nothing else happens",
        arguments: [PostState.removed, .expired])
    func gone(state: PostState) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let post = try await PublishingTests.publish(in: database)
            try await database.pool.query(
                "update darkroom.posts set state = \(state.rawValue)::darkroom.post_state where post_id = \(post)"
            )
            for reporter in 0..<9 { try await database.pool.reportLate(post, by: "r\(reporter)") }
            try await database.moderateAll()
            #expect(try await database.state(ofPost: post) == state)
            #expect(try await database.number("select count(*) from darkroom.reports") == 9)
            #expect(try await database.number("select count(*) from darkroom.moderation_decisions") == 0)
            #expect(try await database.events(of: post) == ["published"])
        }
    }

    @Test("that do not exist cannot be reported, and deleting a post deletes its reports")
    func unknownPost() async throws {
        try await QueueDatabase.with { database in
            let error = await #expect(throws: PostgresError.self) {
                try await database.report(404, by: "r")
            }
            #expect(error?.sqlState == "P0002")
            let post = try await PublishingTests.publish(in: database)
            try await database.report(post, by: "r")
            try await database.moderateAll()
            try await database.pool.query("delete from darkroom.posts where post_id = \(post)")
            #expect(try await database.number("select count(*) from darkroom.reports") == 0)
            #expect(
                try await database.number("select count(*) from darkroom.moderation_decisions") == 1,
                "decisions outlive their posts")
        }
    }

    @Test("have reporters known since they were first seen, or since the time from the API")
    func people() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let posts = [
                try await PublishingTests.publish(in: database),
                try await PublishingTests.publish(in: database),
            ]
            func days(_ person: String) async throws -> Int {
                try await database.number(
                    """
                    select extract(day from now() - first_seen_at)::int from darkroom.people where person = \(person)
                    """)
            }
            try await database.report(posts[0], by: "r", accountDays: nil)
            #expect(try await days("r") == 0)
            try await database.report(posts[1], by: "r", accountDays: 100)
            #expect(
                try await database.number(
                    "select extract(day from now() - reporter_since)::int from darkroom.reports where post_id = \(posts[1])"
                )
                    == 100, "the earlier time counts")
            try await database.pool.query(
                "select darkroom.report_post(\(posts[1]), 's', 'spam', reporter_since => now() + interval '20 hours')"
            )
            #expect(try await days("s") == 0, "an app's clock may be ahead")
        }
    }
}
