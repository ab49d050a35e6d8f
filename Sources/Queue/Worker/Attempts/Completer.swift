import JobQueue
import JobStore
import Postgres
import Synchronization
import Telemetry

/// Writes the ends of successful attempts in batches, if they have nothing else to write: while one statement runs,
/// further attempts that end are collected for the next.
final class Completer: Sendable {
    struct Done: Sendable {
        let job: RunningJob
        let took: Duration
    }

    /// Longer statements do not make a job cheaper.
    static let largestBatch = 1000

    private let store: JobStore
    private let log: Log
    private let pending = Mutex<[Done]>([])
    private let signal = Wakeup()

    init(store: JobStore, log: Log) {
        self.store = store
        self.log = log
    }

    func add(_ done: Done) {
        let isFirst = pending.withLock { pending in
            pending.append(done)
            return pending.count == 1
        }
        if isFirst { signal.signal() }
    }

    /// Writes until cancelled, and calls `ended` with each written batch.
    ///
    /// It keeps trying while the database is unreachable: while this worker lives, no other may take the jobs, and once it
    /// counts as dead, the write finds the leases stale.
    func run(ended: @Sendable ([Done], Set<Lease>) -> Void) async {
        var faults = 0
        while !Task.isCancelled {
            let batch = pending.withLock { pending in Array(pending.prefix(Self.largestBatch)) }
            guard !batch.isEmpty else {
                await signal.wait(atMost: .seconds(3600))
                continue
            }
            do {
                let stale = try await withDeadline(.seconds(15)) { [store] in
                    try await store.complete(batch.map(\.job.job.lease))
                }
                faults = 0
                pending.withLock { $0.removeFirst(batch.count) }
                ended(batch, Set(stale))
            } catch is CancellationError {
                return
            } catch {
                faults += 1
                let pause = RetryPolicy.reconnecting.delay(afterFailure: faults, jitter: .random(in: 0...1))
                log.error(
                    "jobs.end_not_written",
                    [
                        "jobs": .init(batch.count), "error": .init("\(error)"),
                        "retry_in_ms": .init(pause),
                    ])
                try? await Task.sleep(for: pause)
            }
        }
    }
}

extension RetryPolicy {
    /// The delays between tries while the database is unreachable.
    static let reconnecting = RetryPolicy(
        maximumFailures: 1, maximumCrashes: 1, base: .milliseconds(200), cap: .seconds(5))
}
