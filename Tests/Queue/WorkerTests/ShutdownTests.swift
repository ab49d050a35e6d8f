import JobQueue
import JobStore
import Postgres
import Proxying
import Synchronization
import Telemetry
import TestKit
import Testing

@testable import Worker

@Suite("Orders to stop", .timeLimit(.minutes(15)))
struct ShutdownTests {
    static func shutdown() -> Shutdown {
        Shutdown(
            budget: .seconds(86_400), running: RunningJobs(shownBy: WorkerMetrics.unexposed().jobsRunning),
            wake: Wakeup(), log: .silent)
    }

    @Test("only the second signal returns running jobs at once, however often the worker was told to drain")
    func signals() {
        for drains in 0...2 {
            let shutdown = Self.shutdown()
            for _ in 0..<drains { shutdown.drain() }
            shutdown.stop()
            shutdown.drain()
            #expect(shutdown.phase == .finishing)
            shutdown.stop()
            #expect(shutdown.phase == .abandoning)
        }
    }

    @Test("lets running jobs finish when told to stop, and takes no new ones")
    func finishes() async throws {
        try await QueueDatabase.with { database in
            let (gate, open) = AsyncStream<Void>.makeStream()
            let handler = RecordingHandler(store: database.store) { _ in for await _ in gate { return } }
            let worker = database.makeWorker(handler, concurrency: 1) { $0.shutdownBudget = .seconds(86_400) }
            let first = try await database.enqueue()
            try await running(worker) {
                _ = await handler.nextStarted()
                try await database.enqueue(uploader: "second")
                worker.stop()
                open.yield()
            }
            #expect(try await database.state(of: first) == .succeeded)
            let left = try await database.pool.query("select count(*) as jobs from darkroom.jobs")
            #expect(try left[0].decode("jobs", as: Int.self) == 1)
        }
    }

    @Test("told to drain, lets running jobs finish, whatever the budget")
    func finishesDraining() async throws {
        try await QueueDatabase.with { database in
            let (gate, open) = AsyncStream<Void>.makeStream()
            let handler = RecordingHandler(store: database.store) { _ in for await _ in gate { return } }
            let worker = database.makeWorker(handler) {
                $0.shutdownBudget = .zero
                $0.heartbeatInterval = .milliseconds(20)
            }
            let job = try await database.enqueue()
            try await running(worker) {
                let number = try #require(await handler.nextStarted()).lease.worker
                #expect(try await database.store.drain(number))
                while worker.summary != "1 of 2 jobs running, stopping" {
                    try await Task.sleep(for: .milliseconds(2))
                }
                // Long after a budget of nothing is over.
                let heartbeats = try await database.heartbeats(of: number)
                while try await database.heartbeats(of: number) < heartbeats + 10 {
                    try await Task.sleep(for: .milliseconds(2))
                }
                open.yield()
            }
            #expect(try await database.state(of: job) == .succeeded)
        }
    }

    @Test("end an idle worker within seconds, although the database does not respond", .realTime)
    func blackHole() async throws {
        try await QueueDatabase.with { database in
            try await StallingProxy.with { proxy in
                let name = try await database.name()
                let address = PostgresConfiguration(url: proxy.url(database: name))
                let pool = PostgresPool(address, size: 2)
                let store = JobStore(pool: pool)
                var configuration = Worker.Configuration(
                    queues: [ServedQueue(name: "default", concurrency: 1)], host: "test", pid: 1,
                    version: "test")
                configuration.pollInterval = .milliseconds(1)
                let worker = Worker(
                    store: store, database: address,
                    handlers: [JobKind("ingest"): RecordingHandler(store: store)],
                    configuration: configuration,
                    log: .silent)
                let stopped = Mutex(ContinuousClock.now)
                try await running(worker) {
                    while !worker.readiness.isHealthy { try await Task.sleep(for: .milliseconds(5)) }
                    proxy.stall()
                    while !proxy.isHolding { try await Task.sleep(for: .milliseconds(5)) }
                    stopped.withLock { $0 = .now }
                    worker.stop()
                }
                #expect(.now - stopped.withLock(\.self) < .seconds(60))
                await pool.close()
            }
        }
    }

    @Test("returns jobs that do not finish within the budget, without counting a failure")
    func givesBack() async throws {
        try await QueueDatabase.with { database in
            let handler = RecordingHandler(store: database.store, body: forever)
            let worker = database.makeWorker(handler) { $0.shutdownBudget = .milliseconds(50) }
            let job = try await database.enqueue()
            try await running(worker) {
                _ = await handler.nextStarted()
                worker.stop()
            }
            let record = try #require(try await database.store.job(job))
            #expect(record.state == .waiting && record.failures == 0 && record.crashes == 0)
            #expect(try await database.store.attempts(of: job).map(\.outcome) == ["returned"])
        }
    }
}

extension QueueDatabase {
    fileprivate func heartbeats(of worker: WorkerID) async throws -> Int64 {
        try await pool.query("select heartbeats from darkroom.workers where worker_id = \(worker.rawValue)")
            .first?.decode("heartbeats", as: Int64.self) ?? .max
    }
}
