import Glibc
import JobQueue
import JobStore
import LocalCluster
import Postgres
import Synchronization
import Telemetry
import TestKit
import Testing

@testable import Worker

@Suite("Notifications", .timeLimit(.minutes(15)))
struct NotificationTests {
    @Test("end no job and no worker by themselves: any login may send them")
    func forged() async throws {
        try await QueueDatabase.with { database in
            let (gate, open) = AsyncStream<Void>.makeStream()
            let handler = RecordingHandler(store: database.store) { job in
                guard job.fairKey == "victim" else { return }
                for await _ in gate { return }
                try Task.checkCancellation()
            }
            let metrics = WorkerMetrics.unexposed()
            let worker = database.makeWorker(handler, metrics: metrics) {
                $0.pollInterval = .seconds(86_400)
            }
            let victim = try await database.enqueue(uploader: "victim")
            try await running(worker) {
                let started = try #require(await handler.nextStarted())
                while metrics.listenerConnected.value < 1 { try await Task.sleep(for: .milliseconds(5)) }
                for order in ["cancel \(victim)", "\(victim)", "drain \(started.lease.worker)"] {
                    try await database.pool.query("select pg_notify('darkroom.control', \(order))")
                }
                // The worker hears of these after the forged orders.
                for _ in 0..<3 {
                    let next = try await database.enqueue()
                    while try await database.state(of: next) != .succeeded {
                        try #require(try await !database.store.workers().isEmpty, "the worker ended")
                        try await Task.sleep(for: .milliseconds(5))
                    }
                }
                open.yield()
                while try await database.state(of: victim)?.isFinished != true {
                    try await Task.sleep(for: .milliseconds(5))
                }
            }
            #expect(try await database.state(of: victim) == .succeeded)
        }
    }

    @Test("bring a cancellation to its worker at once")
    func cancel() async throws {
        try await QueueDatabase.with { database in
            let handler = RecordingHandler(store: database.store, body: forever)
            let metrics = WorkerMetrics.unexposed()
            // Only a notification can make the worker look before the time limit.
            let worker = database.makeWorker(handler, metrics: metrics) {
                $0.maintenanceInterval = .seconds(86_400)
            }
            let job = try await database.enqueue()
            try await running(worker) {
                _ = await handler.nextStarted()
                while metrics.listenerConnected.value < 1 { try await Task.sleep(for: .milliseconds(5)) }
                #expect(try await database.store.cancel(job))
                try await database.waitUntil(job, is: .cancelled)
            }
        }
    }

    @Test("make a worker that looks already look once more, however many come in")
    func flood() async throws {
        let (turns, turn) = AsyncStream<ContinuousClock.Instant>.makeStream()
        let (gate, open) = AsyncStream<Void>.makeStream()
        let isFirst = Mutex(true)
        let interval = Duration.milliseconds(200)
        let duty = Duty(name: "review", interval: interval) {
            turn.yield(.now)
            if isFirst.withLock({ isFirst in
                defer { isFirst = false }
                return isFirst
            }) {
                for await _ in gate { break }
            }
            return nil
        }
        let looking = Task { await duty.run(through: nil, metrics: .unexposed(), log: .silent) }
        var starts = turns.makeAsyncIterator()
        _ = await starts.next()
        for _ in 0..<1000 { duty.hurry.signal() }
        open.yield()
        let second = try #require(await starts.next())
        let third = try #require(await starts.next())
        #expect(third - second >= interval, "the third was not asked for")
        looking.cancel()
        await looking.value
    }

    @Test("are sent only of jobs that an idle worker waits for: commits that notify take turns")
    func awaited() async throws {
        try await QueueDatabase.with { database in
            let listener = try await PostgresConnection.connect(database.configuration)
            try await listener.listen("darkroom.jobs")
            let worker = try await database.worker()
            /// How often it is told of a job.
            func told(queue: String = "default", kind: String = "noop", priority: Int = 0) async throws -> Int
            {
                let enqueued = [
                    "select darkroom.enqueue_job('\(kind)', 1, 'a', '\(queue)', \(priority))",
                    "select darkroom.enqueue_jobs('\(kind)', '{1}', '{a}', '\(queue)', \(priority))",
                    "select darkroom.enqueue_once('\(kind)', 1, 'a', null, '\(queue)', \(priority))",
                ]
                for one in enqueued { try await database.pool.query("\(unescaped: one)") }
                try await database.pool.query("select pg_notify('darkroom.jobs', 'end')")
                var count = 0
                while let one = try await listener.nextNotification(timeout: .seconds(60)),
                    one.payload != "end"
                { count += 1 }
                return count
            }
            #expect(try await told() == 0, "no worker is idle")
            try await database.store.setAwaited([.noop], by: worker)
            #expect(try await told() == 3)
            #expect(try await told(priority: 5) == 3)
            #expect(try await told(queue: "other") == 0, "the idle worker serves another queue")
            #expect(try await told(kind: "tally") == 0, "the idle worker takes no such jobs now")
            try await database.store.setAwaited([.noop, JobKind("tally")], by: worker)
            #expect(try await told(kind: "tally") == 3)
            // It comes back at once.
            let job = try #require(try await database.store.claim(limit: 1, worker: worker).first)
            #expect(try await told(queue: "other") == 0)
            try await database.store.end(job.lease, as: .returned(Reason(code: "stopping", message: "")))
            #expect(try await told(queue: "other") == 1)
            try await database.store.setAwaited(nil, by: worker)
            #expect(try await told() == 0)
            await listener.close()
        }
    }

    @Test("are not sent where transactions may be prepared, since these could not be: workers poll")
    func prepared() async throws {
        try await withTemporaryDirectory { (root: String) async throws -> Void in
            chmod(root, 0o711)
            let cluster = LocalCluster(directory: root + "/cluster")
            let url = try await cluster.start(profile: .throwaway)
            let first = try await PostgresConnection.connect(PostgresConfiguration(url: url))
            try await first.query("alter system set max_prepared_transactions = 4")
            await first.close()
            try await cluster.stop()
            _ = try await cluster.start(profile: .throwaway)
            try await QueueDatabase.migrate(url)
            try await QueueDatabase.use(url: url) { database in
                let handler = RecordingHandler(store: database.store)
                let worker = database.makeWorker(handler) { $0.pollInterval = .seconds(86_400) }
                try await running(worker) {
                    try await until("the worker is idle") {
                        try await !database.pool.query(
                            "select from darkroom.worker_queues where awaited is not null"
                        ).isEmpty
                    }
                    let app = try await PostgresConnection.connect(database.configuration)
                    try await app.query("begin")
                    try await app.query(
                        """
                        select darkroom.enqueue_upload(
                            uploader => 'ada', original_key => 'originals/x', original_bytes => 1,
                            original_sha256 => repeat('ab', 32))
                        """)
                    try await app.query(
                        "select darkroom.enqueue_job('ingest', 1, 'a', run_at => now() + interval '1 second')"
                    )
                    try await app.query("prepare transaction 'one'")
                    #expect(handler.runs.isEmpty)
                    try await app.query("commit prepared 'one'")
                    await app.close()
                    try await until("both have run") { handler.runs.count == 2 }
                }
            }
            try await cluster.stop()
        }
    }
}
