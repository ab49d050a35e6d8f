import JobStore
import Postgres
import Synchronization
import TestKit
import Testing
import Worker

@Suite("A worker that ends when nothing is left", .timeLimit(.minutes(10)))
struct DrainRaceTests {
    @Test("waits for jobs that another worker is queueing, of what people did")
    func backlog() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let handler = RecordingHandler(store: database.store)
            try await database.withRivals { (other: Rival, _: Rival) async throws -> Void in
                // As darkroom.enqueue_backlogs, halfway.
                try await other.run("begin")
                try await other.run("select darkroom.try_lock('enqueue_backlogs')")
                try await other.run(
                    "select darkroom.enqueue_once('moderate', 1, 'moderation', 1, 'default', -10)")
                let worker = database.makeWorker(handler) { $0.drains = true }
                let hasEnded = Atomic(false)
                async let end: Void = {
                    defer { hasEnded.store(true, ordering: .relaxed) }
                    try await worker.run()
                }()
                while try await database.pool.query(
                    "select from darkroom.worker_queues where awaited is not null"
                ).isEmpty,
                    !hasEnded.load(ordering: .relaxed)
                {
                    try await Task.sleep(for: .milliseconds(5))
                }
                try await other.run("commit")
                try await end
            }
            #expect(handler.runs.count == 1)
        }
    }
}
