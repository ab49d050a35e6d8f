import JobQueue
import JobStore
import Postgres
import Synchronization
import Telemetry

/// Reads the state of the queue at intervals, for metrics and for status messages.
final class QueueWatch: Sendable {
    private let waitingJobs = Mutex<Int?>(nil)
    private let store: JobStore
    private let interval: Duration?
    private let queues: [String]
    private let kinds: [JobKind]
    private let metrics: WorkerMetrics
    private let log: Log

    /// - Parameters:
    ///   - interval: nil for never.
    ///   - queues: those that the worker serves, with `kinds`. They are shown even if they are empty.
    init(
        store: JobStore, interval: Duration?, queues: [String], kinds: [JobKind], metrics: WorkerMetrics,
        log: Log
    ) {
        self.store = store
        self.interval = interval
        self.queues = queues
        self.kinds = kinds
        self.metrics = metrics
        self.log = log
    }

    /// Jobs that waited at the last reading; nil if there was none, or it failed.
    var waiting: Int? { waitingJobs.withLock(\.self) }

    /// Publishes the state of the queue at intervals, if an interval is set.
    func run() async {
        guard let interval else { return }
        while !Task.isCancelled {
            do {
                let (depths, workers, doubts) = try await withDeadline(.seconds(15)) { [store] in
                    let depths = try await store.depths()
                    let workers = try await store.workers()
                    let doubts = try await store.doubts()
                    return (depths, workers, doubts)
                }
                show(depths)
                metrics.workers.set(workers.count { $0.silence < JobStore.leaseDuration })
                metrics.strayLeases.set(doubts.strayLeases)
                metrics.suspectJobs.set(doubts.suspects)
            } catch is CancellationError {
                return
            } catch {
                // Old figures would look like current ones.
                metrics.queueJobs.replaceAll(with: [])
                metrics.queueOldest.replaceAll(with: [])
                waitingJobs.withLock { $0 = nil }
                for gauge in [metrics.workers, metrics.strayLeases, metrics.suspectJobs] { gauge.set(.nan) }
                log.warning("worker.queue_not_read", ["error": .init("\(error)")])
            }
            // Jitter keeps workers from reading all at once.
            try? await Task.sleep(for: interval * Double.random(in: 1.0...1.2))
        }
    }

    private func show(_ depths: [QueueStats.Depth]) {
        let samples = QueueSamples(depths, queues: queues, kinds: kinds)
        metrics.queueJobs.replaceAll(with: samples.jobs)
        metrics.queueOldest.replaceAll(with: samples.oldest)
        let waiting = depths.reduce(0) { $0 + ($1.state == .waiting ? $1.count : 0) }
        waitingJobs.withLock { $0 = waiting }
    }
}
