import FoundationEssentials
import JobQueue
import JobStore
import Postgres
import Telemetry
import Worker

/// Records when its jobs start.
final class StartClock: JobHandler {
    private let (starts, continuation) = AsyncStream<(job: JobID, at: Date)>.makeStream()

    func run(_ job: ClaimedJob, trace: AttemptTrace) async throws -> Completion {
        continuation.yield((job.id, .now))
        return .endedByBatch
    }

    func next() async -> (job: JobID, at: Date)? {
        for await start in starts { return start }
        return nil
    }
}

extension QueueBenchmark {
    /// The time from the commit of an enqueueing transaction to the start of the handler in an idle worker.
    func pickup(_ database: BenchmarkDatabase) async throws {
        let samples = max(20, Int(400 * options.scale))
        let delays = try await withIdleWorker(of: "default", database) { clock in
            let api = try await PostgresConnection.connect(PostgresConfiguration(url: database.url))
            var delays: [Double] = []
            for sample in -20..<samples {
                if sample.isMultiple(of: 100) { progress("pickup, \(max(sample, 0)) of \(samples)") }
                try await waitForIdle(database)
                try await Task.sleep(for: .milliseconds(5))
                try await api.query("select darkroom.enqueue_job('noop', 1, 'bench')")
                let committed = Date.now
                guard let start = await clock.next() else { break }
                if sample >= 0 { delays.append(max(0, start.at.timeIntervalSince(committed) * 1000)) }
            }
            await api.close()
            return delays
        }
        report(delays, "pickup", note: "from the reply to the commit to the start of the handler", (0.8, 3))
    }

    /// The time from a job's `run_at` to the start of the handler in an idle worker.
    func promotion(_ database: BenchmarkDatabase) async throws {
        let samples = max(20, Int(400 * options.scale))
        // One is due every 50 ms on average, the first ones sooner than a worker looks by itself.
        let span = 0.05 * Double(samples)
        progress("promotion, \(samples) jobs in \(Int(span.rounded(.up))) s")
        let delays = try await withIdleWorker(of: "default", database) { clock in
            var due: [JobID: Date] = [:]
            for _ in 0..<samples {
                let time = Date(timeIntervalSinceNow: .random(in: 0.1...0.1 + span))
                let rows = try await database.pool.query(
                    "select darkroom.enqueue_job('noop', 1, 'bench', run_at => \(time)) as job")
                due[JobID(rawValue: try rows[0].decode("job", as: Int64.self))] = time
            }
            var delays: [Double] = []
            while delays.count < samples, let start = await clock.next() {
                // The benchmark and its server are on one machine, and so have one clock.
                if let time = due[start.job] { delays.append(start.at.timeIntervalSince(time) * 1000) }
            }
            return delays
        }
        report(delays, "promotion", note: "from run_at to the start of the handler", (50, 50))
    }

    /// Calls `measure` while a worker of `queue` runs that has said that it is idle.
    func withIdleWorker(
        of queue: String, _ database: BenchmarkDatabase,
        _ measure: @escaping @Sendable (StartClock) async throws -> [Double]
    ) async throws -> [Double] {
        try await database.reset()
        let clock = StartClock()
        let worker = Worker(
            store: database.store,
            database: PostgresConfiguration(url: database.url, applicationName: "darkroom-listener"),
            handlers: [.noop: clock],
            configuration: Worker.Configuration(
                queues: [ServedQueue(name: queue, concurrency: 2)], host: "bench", pid: 0,
                version: "bench"),
            log: .silent)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await worker.run() }
            defer { worker.stop() }
            try await waitForIdle(database)
            let delays = try await measure(clock)
            worker.stop()
            try await group.waitForAll()
            return delays
        }
    }

    /// Waits until a worker has said that it waits for jobs.
    private func waitForIdle(_ database: BenchmarkDatabase) async throws {
        while try await database.number(
            "select count(*)::float8 as value from darkroom.worker_queues where awaited is not null") < 1
        {}
    }

    /// - Parameter goals: the median's and the 99th percentile's, in milliseconds.
    private func report(_ delays: [Double], _ name: String, note: String, _ goals: (Double, Double)) {
        for (rank, part, goal) in [("p50", 0.5, goals.0), ("p99", 0.99, goals.1)] {
            report(
                BenchmarkLine(
                    "\(name)-\(rank)", "ms", [(value: quantile(delays, part), reference: goal)],
                    against: "target of \(goal == goal.rounded() ? String(Int(goal)) : String(goal)) ms",
                    goal: 1, lowerIsBetter: true,
                    note: rank == "p50" ? "\(delays.count) jobs, \(note)" : nil))
        }
    }
}
