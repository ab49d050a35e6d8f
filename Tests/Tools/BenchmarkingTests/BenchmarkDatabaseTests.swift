import JobQueue
import JobStore
import Postgres
import Telemetry
import TestKit
import Testing
import Worker

@testable import Benchmarking

@Suite("A benchmark's database", .timeLimit(.minutes(15)))
struct BenchmarkDatabaseTests {
    @Test("counts only the measured jobs, not those that triggers add")
    func drained() async throws {
        try await TestDatabase.withDatabase { server in
            try await BenchmarkDatabase.with(server: server.url) { database in
                try await database.enqueue(5)
                // As a vote or a published post enqueues it.
                try await database.pool.query("select darkroom.enqueue_job('tally', 1, 'tally')")
                var configuration = Worker.Configuration(
                    queues: [ServedQueue(name: "default", concurrency: 2)], host: "test", pid: 1, version: "")
                configuration.drains = true
                try await Worker(
                    store: database.store, database: PostgresConfiguration(url: database.url),
                    handlers: [.noop: NoopHandler(), JobKind("tally"): NoopHandler()],
                    configuration: configuration,
                    log: .silent
                ).run()
                let all = try await database.number(
                    "select count(*)::float8 as value from darkroom.finished_jobs where state = 'succeeded'")
                #expect(all >= 6)
                let (jobs, seconds) = try await database.drained(.noop)
                #expect(jobs == 5 && seconds > 0)
            }
        }
    }
}
