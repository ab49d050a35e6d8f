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
    /// How long a batch may wait for the lock of one of its jobs.
    private static let lockTimeout = Duration.milliseconds(250)

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
    ///
    /// A job whose row is locked, or cannot be written, holds up others for one short try: the batch is halved until the
    /// job is alone, and every second try is one of jobs that failed before.
    func run(ended: @Sendable ([Done], Set<Lease>) -> Void) async {
        var failed: [Batch] = []
        var outages = 0
        while !Task.isCancelled {
            var batches = [takePending()].compactMap(\.self)
            if let due = failed.indices.first(where: { failed[$0].due <= .now }) {
                batches.append(failed.remove(at: due))
            }
            if batches.isEmpty {
                await signal.wait(atMost: (failed.map(\.due).min() ?? .now + .seconds(3600)) - .now)
            }
            for batch in batches {
                do {
                    let stale = try await withDeadline(.seconds(15)) { [store] in
                        try await store.complete(
                            batch.jobs.map(\.job.job.lease), lockTimeout: Self.lockTimeout)
                    }
                    outages = 0
                    ended(batch.jobs, Set(stale))
                } catch is CancellationError {
                    return
                } catch let error as PostgresError where error.isOutage || error.isSchemaMismatch {
                    outages += 1
                    pending.withLock { $0.insert(contentsOf: batch.jobs, at: 0) }
                    let pause = RetryPolicy.reconnecting.delay(
                        afterFailure: outages, jitter: .random(in: 0...1))
                    note(error, batch, retryIn: pause)
                    try? await Task.sleep(for: pause)
                } catch {
                    let parts = batch.afterFailure()
                    note(error, batch, retryIn: max(parts[0].due - .now, .zero))
                    failed += parts
                }
            }
        }
    }

    private func takePending() -> Batch? {
        pending.withLock { pending in
            guard !pending.isEmpty else { return nil }
            defer { pending.removeFirst(min(pending.count, Self.largestBatch)) }
            return Batch(jobs: Array(pending.prefix(Self.largestBatch)))
        }
    }

    private func note(_ error: any Error, _ batch: Batch, retryIn pause: Duration) {
        log.error(
            "jobs.end_not_written",
            [
                "jobs": .init(batch.jobs.count), "first": .init(batch.jobs[0].job.job.id),
                "error": .init("\(error)"), "retry_in_ms": .init(pause),
            ])
    }

    /// Jobs that one statement ends.
    private struct Batch {
        var jobs: [Done]
        /// How often it has failed since it cannot be halved.
        var faults = 0
        /// When to try it.
        var due = ContinuousClock.now

        /// Its halves, at once; a single job after a pause.
        func afterFailure() -> [Batch] {
            guard jobs.count == 1 else {
                let half = jobs.count / 2
                return [Batch(jobs: Array(jobs[..<half])), Batch(jobs: Array(jobs[half...]))]
            }
            var later = self
            later.faults += 1
            later.due =
                .now + RetryPolicy.reconnecting.delay(afterFailure: later.faults, jitter: .random(in: 0...1))
            return [later]
        }
    }
}

extension RetryPolicy {
    /// The delays between tries while the database is unreachable.
    static let reconnecting = RetryPolicy(
        maximumFailures: 1, maximumCrashes: 1, base: .milliseconds(200), cap: .seconds(5))
}
