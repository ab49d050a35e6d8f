import JobQueue
import JobStore
import Postgres
import Synchronization
import Telemetry
import Worker

/// Records when its jobs start.
private final class StartClock: JobHandler {
    private let (starts, continuation) = AsyncStream<ContinuousClock.Instant>.makeStream()

    func run(_: ClaimedJob, trace: AttemptTrace) async throws -> Completion {
        continuation.yield(.now)
        return .endedByBatch
    }

    func next() async -> ContinuousClock.Instant? {
        for await start in starts { return start }
        return nil
    }
}

extension QueueBenchmark {
    /// The time from the commit of an enqueueing transaction to the start of the handler in an idle worker.
    func pickup(_ database: BenchmarkDatabase) async throws {
        try await database.reset()
        let handler = StartClock()
        let worker = Worker(
            store: database.store,
            database: PostgresConfiguration(url: database.url, applicationName: "darkroom-listener"),
            handlers: [.noop: handler],
            configuration: Worker.Configuration(
                queues: [ServedQueue(name: "default", concurrency: 2)], host: "bench", pid: 0,
                version: "bench"),
            log: .silent)
        let samples = max(20, Int(400 * options.scale))
        let delays = try await withThrowingTaskGroup(of: [Double].self) { group in
            group.addTask {
                try await worker.run()
                return []
            }
            defer { worker.stop() }
            let api = try await PostgresConnection.connect(PostgresConfiguration(url: database.url))
            var delays: [Double] = []
            for sample in -20..<samples {
                if sample.isMultiple(of: 100) { progress("pickup, \(max(sample, 0)) of \(samples)") }
                // Wait until the worker has announced that it is idle.
                while try await database.number(
                    "select count(*)::float8 as value from darkroom.workers where is_idle") < 1
                {}
                try await Task.sleep(for: .milliseconds(5))
                try await api.query("select darkroom.enqueue_job('noop', 1, 'bench')")
                let committed = ContinuousClock.now
                guard let start = await handler.next() else { break }
                if sample >= 0 { delays.append(max(0, (start - committed).inSeconds * 1000)) }
            }
            await api.close()
            worker.stop()
            try await group.waitForAll()
            return delays
        }
        report(
            BenchmarkLine(
                "pickup-p50", "ms", [(value: quantile(delays, 0.5), reference: 0.8)],
                against: "target of 0.8 ms", goal: 1,
                lowerIsBetter: true,
                note: "\(delays.count) jobs, from the reply to the commit to the start of the handler"))
        report(
            BenchmarkLine(
                "pickup-p99", "ms", [(value: quantile(delays, 0.99), reference: 3)],
                against: "target of 3 ms", goal: 1,
                lowerIsBetter: true))
    }
}
