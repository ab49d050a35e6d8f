import JobQueue
import JobStore
import Postgres
import Posts
import TestKit
import Testing

@Suite("Posts that are reported and moderated at the same time", .timeLimit(.minutes(15)))
struct ReportRaceTests {
    @Test("are moderated without waiting for an uncommitted report, and again after it, if it was not undone")
    func uncommittedReport() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let post = try await PublishingTests.publish(in: database)
            try await database.report(post, by: "first")
            for (isUndone, count) in [(true, 2), (false, 4)] {
                try await database.withRivals { (slow: Rival, _: Rival) async throws -> Void in
                    try await slow.run("begin")
                    try await slow.run("select darkroom.report_post(\(post), 'slow', 'spam')")
                    // Neither another reporter nor the moderation waits for this transaction.
                    try await database.report(post, by: "meanwhile \(isUndone)")
                    try await database.moderateAll()
                    let seen = try await database.reading.post(post)?.reportCount
                    #expect(seen == count - (isUndone ? 0 : 1))
                    try await slow.run(isUndone ? "rollback" : "commit")
                }
                try await database.moderateAll()
                let seen = try await database.reading.post(post)?.reportCount
                #expect(seen == count)
                let left = try await database.number("select count(*) from darkroom.moderation_backlog")
                #expect(left == 0, "nothing is left to see")
            }
        }
    }

    /// Two apps report the same two posts in one transaction each, in another order, for reporters whom nobody knows yet.
    @Test("do not make their reporters wait for each other")
    func twoReporters() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let posts = [
                try await PublishingTests.publish(in: database),
                try await PublishingTests.publish(in: database),
            ]
            try await database.withRivals { (first: Rival, second: Rival) async throws -> Void in
                for rival in [first, second] {
                    try await rival.run("set lock_timeout = '1ms'")
                    try await rival.run("begin")
                }
                for turn in 0..<2 {
                    for (rival, name, place) in [(first, "a", turn), (second, "b", 1 - turn)] {
                        try await rival.run("select darkroom.report_post(\(posts[place]), \(name), 'spam')")
                        // Both meet the same new people, in another order.
                        try await rival.run("select darkroom.note_person_seen(\("new \(place)"))")
                    }
                }
                try await second.run("commit")
                try await first.run("commit")
            }
            try await database.moderateAll()
            for post in posts {
                let count = try await database.reading.post(post)?.reportCount
                #expect(count == 2)
            }
            let known = try await database.number(
                "select count(*) from darkroom.people where person in ('a', 'b', 'new 0', 'new 1')")
            #expect(known == 4)
        }
    }

    @Test("do not make their moderations wait for each other, nor for the transaction of an app")
    func twoModerations() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.limitWaits()
            let post = try await PublishingTests.publish(in: database)
            try await database.report(post, by: "first")
            let first = try await database.claimModeration()
            try await database.pool.withTransaction { transaction in
                try await transaction.query(
                    "select from darkroom.posts where post_id = \(post) for no key update")
                let error = await #expect(throws: PostgresError.self) { try await database.moderate(first) }
                #expect(error?.sqlState == .lockNotAvailable, "which spends no try")
            }
            try await database.moderate(first)
            #expect(try await database.reading.post(post)?.reportCount == 1)
        }
    }

    @Test("count a report that an approval could not see, although its transaction began before")
    func reportDuringApproval() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            _ = try await database.policies.set(note: "all count alike") {
                $0.hideThreshold = 2
                $0.approvedFactor = 1
            }
            let post = try await PublishingTests.publish(in: database)
            for reporter in ["a", "b"] { try await database.report(post, by: reporter) }
            try await database.withRivals { (late: Rival, _: Rival) async throws -> Void in
                try await late.run("begin")
                for reporter in ["c", "d"] {
                    try await late.run(
                        "select darkroom.report_post(\(post), \(reporter), 'spam', reporter_since => '2020-01-01')"
                    )
                }
                try await database.moderateAll()
                _ = try await database.reviews.review(post, .approve, by: "olga")
                try await late.run("commit")
            }
            try await database.moderateAll()
            #expect(try await database.state(ofPost: post) == .hidden)
        }
    }

    @Test("lose no report of sixteen concurrent connections: the last verdict sees all")
    func manyReporters() async throws {
        try await QueueDatabase.with(connections: 20) { (database: QueueDatabase) async throws -> Void in
            let post = try await PublishingTests.publish(in: database)
            let worker = try await database.worker()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for connection in 0..<16 {
                    group.addTask {
                        for number in 0..<25 {
                            try await database.pool.reportLate(post, by: "r\(connection)-\(number)")
                        }
                    }
                }
                var left = 16
                // Meanwhile, moderates as fast as it can.
                while left > 0 {
                    try await database.store.enqueueBacklogs()
                    let jobs = try await database.store.claim(limit: 1, worker: worker, kinds: [.moderate])
                    if let job = jobs.first {
                        try await database.moderate(job)
                    } else if try await group.next() != nil {
                        left -= 1
                    }
                }
            }
            try await database.moderateAll()
            #expect(try await database.reading.post(post)?.reportCount == 400)
            #expect(
                try await database.number(
                    "select reports from darkroom.moderation_decisions order by decision_id desc limit 1")
                    == 400)
            #expect(
                try await database.number(
                    "select count(*) from darkroom.moderation_decisions where decision = 'hide'") == 1)
        }
    }

    @Test("gain no decision if nothing has changed")
    func sameReports() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let post = try await PublishingTests.publish(in: database)
            try await database.report(post, by: "first")
            for _ in 0..<3 {
                try await database.moderateAll()
                try await database.pool.query(
                    "insert into darkroom.moderation_backlog (post_id) values (\(post))")
            }
            #expect(try await database.number("select count(*) from darkroom.moderation_decisions") == 1)
        }
    }

    @Test("gain a decision if a report came after the last one, though another went with its reporter")
    func asManyReports() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let post = try await PublishingTests.publish(in: database)
            for reporter in ["a", "b"] { try await database.report(post, by: reporter) }
            try await database.moderateAll()
            try await database.pool.query("delete from darkroom.reports where reporter = 'a'")
            try await database.report(post, by: "c")
            try await database.moderateAll()
            #expect(try await database.number("select count(*) from darkroom.moderation_decisions") == 2)
            let awaits = try await database.texts("select darkroom.awaits_judgement(\(post))::text")
            #expect(awaits == ["false"])
        }
    }
}
