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
    private let metrics: WorkerMetrics
    private let log: Log

    /// - Parameter interval: nil for never.
    init(store: JobStore, interval: Duration?, metrics: WorkerMetrics, log: Log) {
        self.store = store
        self.interval = interval
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
                let (depths, workers) = try await withDeadline(.seconds(15)) { [store] in
                    (try await store.depths(), try await store.workers())
                }
                show(depths)
                metrics.workers.set(workers.count { $0.silence < JobStore.leaseDuration })
            } catch is CancellationError {
                return
            } catch {
                // Old figures would look like current ones.
                show([])
                waitingJobs.withLock { $0 = nil }
                metrics.workers.set(.nan)
                log.warning("worker.queue_not_read", ["error": .init("\(error)")])
            }
            // Jitter keeps workers from reading all at once.
            try? await Task.sleep(for: interval * Double.random(in: 1.0...1.2))
        }
    }

    private func show(_ depths: [QueueStats.Depth]) {
        metrics.queueJobs.replaceAll(
            with: depths.map {
                MetricSample($0.queue, $0.kind.rawValue, $0.state.rawValue, value: Double($0.count))
            })
        metrics.queueOldest.replaceAll(
            with: depths.compactMap { depth in
                depth.overdue.map {
                    MetricSample(depth.queue, depth.kind.rawValue, value: $0.inSeconds)
                }
            })
        let waiting = depths.reduce(0) { $0 + ($1.state == .waiting ? $1.count : 0) }
        waitingJobs.withLock { $0 = waiting }
    }
}
