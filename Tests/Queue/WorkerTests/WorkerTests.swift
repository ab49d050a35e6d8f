import JobQueue
import JobStore
import Postgres
import Synchronization
import Telemetry
import TestKit
import Testing
import Worker

/// Runs `body`, ends its jobs as succeeded, and records which ran.
final class RecordingHandler: JobHandler {
    private let store: JobStore
    private let body: @Sendable (ClaimedJob) async throws -> Void
    private let seen = Mutex<[JobID]>([])
    private let (started, startedContinuation) = AsyncStream<ClaimedJob>.makeStream()

    /// Where its jobs read what their owners have said is there.
    private let reads: Dependency?

    init(
        store: JobStore, reads: Dependency? = nil,
        body: @escaping @Sendable (ClaimedJob) async throws -> Void = { _ in }
    ) {
        self.store = store
        self.reads = reads
        self.body = body
    }

    func run(_ job: ClaimedJob, trace: AttemptTrace) async throws -> Completion {
        seen.withLock { $0.append(job.id) }
        startedContinuation.yield(job)
        try await body(job)
        if let reads { trace.note(matchAt: reads) }
        try await store.end(job.lease, as: .succeeded, trace: trace)
        return .committed
    }

    var runs: [JobID] { seen.withLock { $0 } }

    func nextStarted() async -> ClaimedJob? {
        for await job in started { return job }
        return nil
    }
}

/// Never returns by itself.
@Sendable func forever(_: ClaimedJob) async throws {
    try await Task.sleep(for: .seconds(86_400))
}

extension QueueDatabase {
    func makeWorker(
        _ handler: any JobHandler, concurrency: Int = 2, metrics: WorkerMetrics = .unexposed(),
        log: Log = .silent, adjust: (inout Worker.Configuration) -> Void = { _ in }
    ) -> Worker {
        var configuration = Worker.Configuration(
            queues: [ServedQueue(name: "default", concurrency: concurrency)], host: "test", pid: 1,
            version: "test")
        // However slow the machine is, a worker that has ended is gone.
        configuration.signOffLimit = .seconds(86_400)
        configuration.idleSignOffLimit = .seconds(86_400)
        adjust(&configuration)
        return Worker(
            store: store, database: self.configuration,
            handlers: [JobKind("ingest"): handler, JobKind("moderate"): handler],
            configuration: configuration, metrics: metrics, log: log)
    }

    func waitUntil(_ job: JobID, is state: JobState) async throws {
        try await until("the job is \(state)") { try await self.state(of: job) == state }
    }
}

@Suite("The worker", .timeLimit(.minutes(15)))
struct WorkerTests {
    @Test("drains the queue and returns")
    func drain() async throws {
        try await QueueDatabase.with { database in
            for _ in 0..<25 { try await database.enqueue() }
            let later = try await database.enqueue(runAfterSeconds: 3600)
            let handler = RecordingHandler(store: database.store)
            try await database.makeWorker(handler) { $0.drains = true }.run()
            #expect(Set(handler.runs).count == 25 && handler.runs.count == 25)
            #expect(try await database.state(of: later) == .scheduled)
            #expect(try await database.store.workers().isEmpty, "it signs off")
        }
    }

    @Test("shares the queue with others, each job run once")
    func several() async throws {
        try await QueueDatabase.with { database in
            for _ in 0..<60 { try await database.enqueue() }
            let handler = RecordingHandler(store: database.store)
            try await withThrowingTaskGroup { group in
                for _ in 0..<4 {
                    let worker = database.makeWorker(handler) { $0.drains = true }
                    group.addTask { try await worker.run() }
                }
                try await group.waitForAll()
            }
            #expect(handler.runs.count == 60)
            #expect(Set(handler.runs).count == 60)
        }
    }

    @Test("is woken by the transaction that enqueues")
    func notified() async throws {
        try await QueueDatabase.with { database in
            let handler = RecordingHandler(store: database.store)
            // Only a notification can bring the second job before the time limit.
            let worker = database.makeWorker(handler) { $0.pollInterval = .seconds(86_400) }
            try await running(worker) {
                let first = try await database.enqueue()
                try await database.waitUntil(first, is: .succeeded)
                let second = try await database.enqueue()
                try await database.waitUntil(second, is: .succeeded)
            }
        }
    }

    @Test("starts a job that becomes due, without polling for it")
    func promoted() async throws {
        try await QueueDatabase.with { database in
            let handler = RecordingHandler(store: database.store)
            let worker = database.makeWorker(handler) { $0.pollInterval = .seconds(86_400) }
            try await running(worker) {
                for seconds in [0.1, 1.5, 2.5] {
                    let job = try await database.enqueue(runAfterSeconds: seconds)
                    try await database.waitUntil(job, is: .succeeded)
                }
            }
        }
    }

    @Test("says again that it is idle after it was taken for dead and registered again")
    func idleAgain() async throws {
        try await QueueDatabase.with { database in
            let handler = RecordingHandler(store: database.store)
            let worker = database.makeWorker(handler) {
                $0.pollInterval = .seconds(86_400)
                $0.heartbeatInterval = .milliseconds(50)
            }
            try await running(worker) {
                let first = try await database.enqueue()
                try await database.waitUntil(first, is: .succeeded)
                let before = try #require(try await database.store.workers().first?.id)
                while try await database.store.workers().first.map({ $0.id == before }) ?? true {
                    try await database.bury(before)
                    try await Task.sleep(for: .milliseconds(5))
                }
                let second = try await database.enqueue()
                try await database.waitUntil(second, is: .succeeded)
            }
        }
    }

    @Test("with many slots fills each of them, however few are free")
    func manySlots() async throws {
        try await QueueDatabase.with { database in
            let handler = RecordingHandler(store: database.store) { job in
                if job.fairKey == "long" { try await forever(job) }
            }
            let worker = database.makeWorker(handler, concurrency: 64) {
                $0.shutdownBudget = .milliseconds(1)
            }
            for _ in 0..<63 { try await database.enqueue(uploader: "long") }
            try await running(worker) {
                while handler.runs.count < 63 { try await Task.sleep(for: .milliseconds(5)) }
                let urgent = try await database.enqueue(uploader: "urgent", priority: -100)
                try await database.waitUntil(urgent, is: .succeeded)
                worker.stop()
            }
        }
    }

    @Test("finds jobs by polling if no notification arrived")
    func polled() async throws {
        try await QueueDatabase.with { database in
            let handler = RecordingHandler(store: database.store)
            let worker = database.makeWorker(handler) { $0.pollInterval = .milliseconds(20) }
            try await running(worker) {
                try await database.pool.query(
                    """
                    insert into darkroom.jobs (kind, lane, slot, subject_id, fair_key, fair_hash)
                    select 'ingest', lane, 1, 1, 'x', 0 from darkroom.lanes where kind = 'ingest'
                    """
                )
                #expect(await handler.nextStarted() != nil)
            }
        }
    }

    @Test("cancels a running job on request")
    func cancels() async throws {
        try await QueueDatabase.with { database in
            let handler = RecordingHandler(store: database.store, body: forever)
            let worker = database.makeWorker(handler)
            let job = try await database.enqueue()
            try await running(worker) {
                _ = await handler.nextStarted()
                #expect(try await database.store.cancel(job))
                try await database.waitUntil(job, is: .cancelled)
            }
        }
    }

    @Test("retries after a fault until the tries are used up, and keeps each error")
    func retries() async throws {
        try await QueueDatabase.with { database in
            struct Broken: Error, CustomStringConvertible { let description = "the disk is on fire" }
            let handler = RecordingHandler(store: database.store) { _ in throw Broken() }
            let worker = database.makeWorker(handler) {
                $0.drains = true
                $0.policy = RetryPolicy(
                    maximumFailures: 3, maximumCrashes: 3, base: .milliseconds(5), cap: .milliseconds(20))
            }
            let job = try await database.enqueue()
            try await worker.run()
            let record = try #require(try await database.store.job(job))
            #expect(record.state == .failed && record.failures == 3)
            let attempts = try await database.store.attempts(of: job)
            #expect(attempts.map(\.outcome) == ["retry", "retry", "failed"])
            #expect(attempts.allSatisfy { $0.reason?.message.contains("the disk is on fire") == true })
        }
    }

    @Test("takes over from a worker that died")
    func takesOver() async throws {
        try await QueueDatabase.with { database in
            let job = try await database.enqueue()
            let dead = try await database.claimOne()
            let handler = RecordingHandler(store: database.store)
            let clock = TurnedClock()
            try await database.makeWorker(handler) {
                // It looks at the heartbeats of others once a second, by its clock.
                $0.now = { clock.turn(by: .seconds(1)) }
                $0.heartbeatInterval = .milliseconds(20)
                $0.drains = true
            }.run()
            #expect(handler.runs == [job])
            let attempts = try await database.store.attempts(of: job)
            #expect(attempts.map(\.outcome) == ["crashed", "succeeded"])
            #expect(attempts.first?.worker == dead.lease.worker)
        }
    }

    @Test("stops its jobs and registers again after it was removed as dead")
    func takenForDead() async throws {
        try await QueueDatabase.with { database in
            let handler = RecordingHandler(store: database.store) { job in
                if job.attempt == 1 { try await forever(job) }
            }
            let worker = database.makeWorker(handler) { $0.heartbeatInterval = .milliseconds(20) }
            let job = try await database.enqueue()
            try await running(worker) {
                let first = try #require(await handler.nextStarted())
                // As if the heartbeat had been delayed: its jobs are rescued.
                while try await database.store.attempts(of: job).isEmpty {
                    try await database.bury(first.lease.worker)
                }
                try await database.waitUntil(job, is: .succeeded)
                let attempts = try await database.store.attempts(of: job)
                #expect(attempts.map(\.outcome) == ["crashed", "succeeded"])
                #expect(attempts.last?.worker != first.lease.worker)
            }
        }
    }

    @Test("survives the end of each of its connections")
    func outlivesConnections() async throws {
        try await QueueDatabase.with { database in
            let handler = RecordingHandler(store: database.store)
            let worker = database.makeWorker(handler) { $0.pollInterval = .milliseconds(100) }
            try await running(worker) {
                let first = try await database.enqueue()
                try await database.waitUntil(first, is: .succeeded)
                let killer = try await PostgresConnection.connect(database.configuration)
                try await killer.query(
                    """
                    select pg_terminate_backend(pid) from pg_stat_activity
                    where datname = current_database() and pid <> pg_backend_pid()
                    """)
                let rows = try await killer.query(
                    """
                    select darkroom.enqueue_upload(
                        uploader => 'a', original_key => 'k', original_sha256 => repeat('ab', 32),
                        original_bytes => 1) as job
                    """)
                let second = JobID(rawValue: try rows[0].decode("job", as: Int64.self))
                var state = ""
                while state != "succeeded" {
                    let now = try await killer.query(
                        "select state::text as state from darkroom.job_status(\(second.rawValue))")
                    state = try now[0].decode("state", as: String.self)
                }
                await killer.close()
            }
        }
    }
}
