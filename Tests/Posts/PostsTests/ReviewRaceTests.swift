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
}
