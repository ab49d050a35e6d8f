import JobQueue
import JobStore
import Postgres
import Posts
import TestKit
import Testing

@Suite("What a review has overturned", .timeLimit(.minutes(15)))
struct OverturnedTests {
    private static func records(_ database: QueueDatabase) async throws -> [String?] {
        try await database.texts(
            """
            select concat_ws(' ', person, agreed, disagreed) from darkroom.people
            where agreed > 0 or disagreed > 0 order by person
            """)
    }

    @Test(
        "is everything judged since the post was last shown, by any number of removals",
        arguments: [1, 2, 3]
    )
    func judgements(removals: Int) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let post = try await PublishingTests.publish(in: database)
            try await database.report(post, by: "r0")
            _ = try await database.reviews.review(post, .remove(.terms(nil)), by: "olga")
            // Each further appeal is declined, together with the reports that came meanwhile.
            for number in 1..<removals {
                try await database.pool.reportLate(post, by: "r\(number)")
                _ = try await database.reviews.appeal(post, by: "ada", text: "Look again.")
                let declined = try await database.reviews.review(post, .remove(.terms(nil)), by: "olga")
                #expect(declined.judged == 1)
            }
            #expect(try await Self.records(database) == (0..<removals).map { "r\($0) 1 0" })
            let restored = try await database.reviews.review(post, .restore, by: "olga")
            #expect(restored.judged == removals)
            #expect(try await Self.records(database) == (0..<removals).map { "r\($0) 0 1" })

            // Decisions before the post was shown stay in force.
            try await database.report(post, by: "later")
            _ = try await database.reviews.review(post, .remove(.terms(nil)), by: "olga")
            let again = try await database.reviews.review(post, .restore, by: "olga")
            #expect(again.judged == 1)
            #expect(
                try await Self.records(database) == ["later 0 1"] + (0..<removals).map { "r\($0) 0 1" })
        }
    }

    /// Publishes a photo that is held because it resembles a removed one.
    private static func heldPost(in database: QueueDatabase) async throws -> (post: Int64, like: Int64) {
        let like = try await PublishingTests.publish(in: database)
        _ = try await database.reviews.review(like, .remove(.terms(nil)), by: "olga")
        try await database.enqueue(uploader: "bob")
        let worker = try await database.worker()
        let job = try #require(
            try await database.store.claim(limit: 1, worker: worker, kinds: [JobKind("ingest")]).first)
        let new = PublishingTests.post(upload: job.subject)
        let screening = try await database.publishing.screen(
            upload: job.subject, perceptualHash: new.perceptualHash)
        let post = try await database.pool.withTransaction { transaction in
            let id = try await PublishingStore.publish(new, screening: screening, in: transaction)
            try await JobStore.end(job.lease, as: .succeeded, in: transaction)
            return id
        }
        try #require(try await database.state(ofPost: post) == .held)
        return (post, like)
    }

    @Test("is not a reason in later statements")
    func reasons() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let (post, like) = try await Self.heldPost(in: database)
            _ = try await database.reviews.review(post, .approve, by: "olga")
            // An approved post has three times the threshold.
            for reporter in 0..<15 { try await database.report(post, by: "r\(reporter)") }
            try await database.moderateAll()
            try #require(try await database.state(ofPost: post) == .hidden)
            let removal = try await database.reviews.review(post, .remove(.terms(nil)), by: "olga")
            let hiding = try #require(
                try await database.decisions.decisions(on: post).last { $0.kind == .hide }
            ).id
            for decision in [hiding, removal.decision] {
                let statement = try #require(try await database.decisions.statementOfReasons(for: decision))
                #expect(!statement.isAutomaticallyDetected && statement.isByNotice)
                let resemblance = statement.facts.filter { $0.contains("resembles that of post \(like)") }
                #expect(resemblance == [])
            }
        }
    }

    @Test("is a reason for a removal if nobody has shown the post since")
    func standingReason() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let (post, like) = try await Self.heldPost(in: database)
            let removal = try await database.reviews.review(post, .remove(.terms(nil)), by: "olga")
            let statement = try #require(
                try await database.decisions.statementOfReasons(for: removal.decision))
            #expect(statement.isAutomaticallyDetected)
            let resemblance = statement.facts.filter { $0.contains("resembles that of post \(like)") }
            #expect(resemblance.count == 1)
        }
    }
}
