import JobQueue
import JobStore
import Postgres
import TestKit
import Testing

/// Runs random histories on the queue and on a model in memory: after every step both must agree.
@Suite("The queue and its model", .timeLimit(.minutes(15)))
struct ModelTests {
    @Test(
        "agree after every step of a random history",
        arguments: Extent.of([3, 20_261_121], check: [1, 2, 3, 20_261_121]))
    func agree(seed: UInt64) async throws {
        try await QueueDatabase.with { database in
            var history = try await RandomHistory(database, seed: seed)
            do {
                for _ in 0..<300 {
                    try await history.step()
                    try await history.check()
                }
            } catch {
                Issue.record("after \(history.steps.count) steps, the last \(history.steps.suffix(10))")
                throw error
            }
            try await history.checkAttempts()
            #expect(history.jobs.count > 20)
        }
    }
}
