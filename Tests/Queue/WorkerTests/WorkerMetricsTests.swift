import JobQueue
import JobStore
import Postgres
import Telemetry
import TestKit
import Testing
import Worker

@Suite("A worker's metrics", .timeLimit(.minutes(15)))
struct WorkerMetricsTests {
    @Test("count every end of an attempt, by outcome and reason")
    func outcomes() async throws {
        try await QueueDatabase.with { database in
            struct Broken: Error {}
            let good = try await database.enqueue()
            let bad = try await database.enqueue()
            let broken = try await database.enqueue()
            let handler = RecordingHandler(store: database.store) { job in
                if job.id == bad { throw AttemptError.rejected("ugly", "It is ugly.") }
                if job.id == broken { throw Broken() }
            }
            let metrics = WorkerMetrics.unexposed()
            try await database.makeWorker(handler, metrics: metrics) {
                $0.drains = true
                $0.policy = RetryPolicy(
                    maximumFailures: 3, maximumCrashes: 3, base: .milliseconds(5), cap: .milliseconds(20))
            }.run()
            #expect(try await database.state(of: good) == .succeeded)
            let outcomes = ["succeeded": 1, "rejected": 1, "retry": 2, "failed": 1, "returned": 0]
            for (outcome, count) in outcomes {
                #expect(metrics.attempts["ingest", outcome].value == count, "\(outcome)")
            }
            #expect(metrics.jobsClaimed["ingest"].value == 5)
            #expect(metrics.jobsClaimed["moderate"].value == 0)
            #expect(metrics.jobsRunning.value == 0)
            #expect(metrics.concurrency.value == 2)
            #expect(metrics.lastHeartbeat.value > 1_700_000_000)
        }
    }

    @Test("count the ends that the completer writes, and their stages")
    func completed() async throws {
        struct Left: JobHandler {
            func run(_: ClaimedJob, trace: AttemptTrace) async throws -> Completion {
                trace.enter("think")
                return .endedByBatch
            }
        }
        try await QueueDatabase.with { database in
            for _ in 0..<40 { try await database.enqueue() }
            let registry = MetricsRegistry()
            let metrics = WorkerMetrics(registry: registry, version: "1")
            try await database.makeWorker(Left(), concurrency: 16, metrics: metrics) { $0.drains = true }
                .run()
            #expect(metrics.attempts["ingest", "succeeded"].value == 40)
            let lines = Set(registry.render().split(separator: "\n").map(String.init))
            #expect(lines.contains(#"darkroom_job_run_seconds_count{kind="ingest"} 40"#))
            #expect(lines.contains(#"darkroom_job_wait_seconds_count{kind="ingest"} 40"#))
            #expect(lines.contains(#"darkroom_stage_seconds_count{stage="think"} 40"#))
        }
    }

    @Test("count rescues, and the leases that a worker removed as dead has lost")
    func rescues() async throws {
        try await QueueDatabase.with { database in
            let handler = RecordingHandler(store: database.store) { job in
                if job.attempt == 1 { try await forever(job) }
            }
            let (first, second) = (WorkerMetrics.unexposed(), WorkerMetrics.unexposed())
            let hung = database.makeWorker(handler, concurrency: 1, metrics: first) {
                $0.heartbeatInterval = .milliseconds(400)
            }
            let job = try await database.enqueue()
            try await running(hung) {
                let claimed = try #require(await handler.nextStarted())
                let other = database.makeWorker(handler, concurrency: 1, metrics: second) {
                    $0.maintenanceInterval = .milliseconds(20)
                }
                try await running(other) {
                    // A heartbeat may have the worker's row locked.
                    while try await database.store.attempts(of: job).isEmpty {
                        try await database.bury(claimed.lease.worker)
                        try await Task.sleep(for: .milliseconds(5))
                    }
                    try await database.waitUntil(job, is: .succeeded)
                    while first.leasesLost.value == 0 { try await Task.sleep(for: .milliseconds(5)) }
                }
            }
            #expect(second.jobsQuarantined.value == 0)
            #expect(first.leasesLost.value == 1 && second.leasesLost.value == 0)
        }
    }

    @Test("of the queue are read from the database, and disappear with it")
    func queue() async throws {
        try await QueueDatabase.with { database in
            try await database.enqueue()
            try await database.enqueue(runAfterSeconds: 3600)
            let registry = MetricsRegistry()
            let metrics = WorkerMetrics(registry: registry, version: "1")
            let handler = RecordingHandler(store: database.store, body: forever)
            let worker = database.makeWorker(handler, concurrency: 1, metrics: metrics) {
                $0.queueMetricsInterval = .milliseconds(20)
                $0.shutdownBudget = .milliseconds(1)
            }
            @Sendable func lines() -> Set<String> {
                Set(registry.render().split(separator: "\n").map(String.init))
            }
            try await running(worker) {
                _ = await handler.nextStarted()
                let running = #"darkroom_queue_jobs{queue="default",kind="ingest",state="running"} 1"#
                let scheduled = #"darkroom_queue_jobs{queue="default",kind="ingest",state="scheduled"} 1"#
                while !lines().isSuperset(of: [running, scheduled, "darkroom_workers 1"]) {
                    try await Task.sleep(for: .milliseconds(5))
                }
                let none = #"darkroom_queue_oldest_seconds{queue="default",kind="ingest"} 0"#
                #expect(lines().contains(none), "none is due and waits")
                try await database.enqueue()
                while lines().contains(none) {
                    try await Task.sleep(for: .milliseconds(5))
                }
                #expect(worker.summary == "1 of 1 jobs running, 1 waiting in the queue")
                try await database.pool.query("alter table darkroom.lanes rename to lanes_elsewhere")
                while registry.render().contains("darkroom_queue_jobs{") {
                    try await Task.sleep(for: .milliseconds(5))
                }
                #expect(lines().contains("darkroom_workers NaN"))
                try await database.pool.query("alter table darkroom.lanes_elsewhere rename to lanes")
                worker.stop()
            }
        }
    }

    @Test("detect a hanging loop, and only while it runs")
    func standstill() async throws {
        try await QueueDatabase.with { database in
            let handler = RecordingHandler(store: database.store)
            let worker = database.makeWorker(handler) {
                // While idle, it waits far longer than a turn may take.
                $0.pollInterval = .seconds(86_400)
                $0.standstillLimit = .seconds(1)
                $0.heartbeatInterval = .milliseconds(50)
            }
            #expect(worker.liveness.isHealthy && !worker.readiness.isHealthy)
            try await running(worker) {
                // A busy machine may hold up the other loop first.
                try await until("the claim loop hangs") {
                    let liveness = worker.liveness
                    return !liveness.isHealthy
                        && liveness.description.contains("claim_loop: has made no progress for")
                }
                while !worker.readiness.isHealthy { try await Task.sleep(for: .milliseconds(20)) }
                let job = try await database.enqueue()
                try await database.waitUntil(job, is: .succeeded)
                // A busy machine may hold a loop up for longer than the limit.
                while !worker.liveness.isHealthy { try await Task.sleep(for: .milliseconds(20)) }
                worker.stop()
                #expect(worker.readiness.description.contains("taking_jobs: the worker is stopping"))
            }
            #expect(worker.liveness.isHealthy)
            #expect(worker.readiness.description.contains("registered: the database does not know"))
        }
    }
}
