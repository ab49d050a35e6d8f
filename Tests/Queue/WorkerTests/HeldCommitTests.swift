import JobQueue
import JobStore
import Postgres
import Proxying
import Telemetry
import TestKit
import Testing

@testable import Worker

/// The server commits, but its reply never comes; everything else passes.
@Suite("Commits without a reply", .timeLimit(.minutes(15)))
struct HeldCommitTests {
    /// Calls `body` with a worker of three slots whose pool has two connections, while both wait for the reply to a commit.
    private static func withHeldWorker(
        commitTimeout: Duration, adjust: (inout Worker.Configuration) -> Void = { _ in },
        _ body: @escaping @Sendable (QueueDatabase, Worker) async throws -> Void
    ) async throws {
        try await QueueDatabase.with { database in
            try await StallingProxy.with { proxy in
                let name = try await database.name()
                var address = PostgresConfiguration(url: proxy.url(database: name))
                address.commitTimeout = commitTimeout
                let pool = PostgresPool(address, size: 2)
                let store = JobStore(pool: pool)
                var configuration = Worker.Configuration(
                    queues: [ServedQueue(name: "default", concurrency: 3)], host: "held", pid: 1,
                    version: "test")
                adjust(&configuration)
                let worker = Worker(
                    store: store, database: address,
                    handlers: [JobKind("ingest"): RecordingHandler(store: store)],
                    configuration: configuration, log: .silent)
                try await running(worker) {
                    while !worker.readiness.isHealthy { try await Task.sleep(for: .milliseconds(5)) }
                    proxy.hold(2, repliesTo: "commit")
                    for _ in 0..<2 { try await database.enqueue() }
                    while proxy.held < 2 { try await Task.sleep(for: .milliseconds(5)) }
                    try await body(database, worker)
                }
                await pool.close()
            }
        }
    }

    @Test("cost the worker two connections for a while, and no job")
    func recovers() async throws {
        try await Self.withHeldWorker(commitTimeout: .seconds(5)) { database, _ in
            let next = try await database.enqueue()
            try await database.waitUntil(next, is: .succeeded)
            // The others may end a moment later.
            for job in try await database.jobs() { try await database.waitUntil(job.id, is: .succeeded) }
            for job in try await database.jobs() { #expect(job.attempt == 1) }
        }
    }

    @Test("do not keep a worker that was told twice to stop")
    func stops() async throws {
        try await Self.withHeldWorker(commitTimeout: .seconds(86_400)) { _, worker in
            worker.stop()
            worker.stop()
        }
    }

    @Test("show at /readyz that no claim succeeds, although heartbeats go on")
    func health() async throws {
        try await Self.withHeldWorker(commitTimeout: .seconds(86_400)) {
            $0.standstillLimit = .seconds(1)
            $0.pollInterval = .milliseconds(100)
        } _: { database, worker in
            while worker.readiness.isHealthy { try await Task.sleep(for: .milliseconds(5)) }
            #expect(worker.readiness.description.contains("claims: has made no progress for "))
            #expect(worker.readiness.description.contains("lease: ok"))
            worker.stop()
            worker.stop()
        }
    }
}
