/// How often and how soon a job is tried again.
package struct RetryPolicy: Hashable, Sendable {
    /// Tries that may fail before the job does; at least 1.
    package var maximumFailures: Int
    /// Deaths of worker or renderer before the job is quarantined; at least 1.
    package var maximumCrashes: Int
    /// The delay after the first failure.
    package var base: Duration
    /// No delay is longer than this, jitter included.
    package var cap: Duration

    package static let standard = RetryPolicy(
        maximumFailures: 8, maximumCrashes: 3, base: .seconds(2), cap: .seconds(900))

    package init(maximumFailures: Int, maximumCrashes: Int, base: Duration, cap: Duration) {
        self.maximumFailures = max(1, maximumFailures)
        self.maximumCrashes = max(1, maximumCrashes)
        self.base = base
        self.cap = cap
    }

    /// The delay after failure number `failure` (from 1): `min(cap, base × 2^(failure − 1))`, of which
    /// one half is fixed and the other scaled by `jitter` in 0…1 ("equal jitter").
    ///
    /// Jitter keeps jobs that failed together, because a disk filled or a database restarted, from
    /// coming back together.
    package func delay(afterFailure failure: Int, jitter: Double) -> Duration {
        let doublings = min(max(failure - 1, 0), 40)
        let whole = min(base * (1 << doublings), cap)
        return whole / 2 + whole / 2 * min(max(jitter, 0), 1)
    }

    /// What becomes of an attempt that fell short.
    ///
    /// - Parameter jitter: a random number in 0…1.
    package func outcome(of failure: AttemptFailure, on job: ClaimedJob, jitter: Double) -> Outcome {
        switch failure {
        case .rejected(let reason):
            return .rejected(reason)
        case .systemFault(let reason):
            let failures = job.failures + 1
            return failures >= maximumFailures
                ? .failed(reason) : .retry(reason, delay: delay(afterFailure: failures, jitter: jitter))
        case .rendererDied(let reason):
            let crashes = job.crashes + 1
            return crashes >= maximumCrashes
                ? .failed(Self.poison(crashes: crashes, last: reason)) : .crashed(reason)
        case .notYet(let reason, let delay):
            return .snoozed(reason, delay: delay)
        case .cancelled:
            return .cancelled(Reason(code: "cancelled", message: "The job was cancelled while it ran."))
        case .shutdown:
            return .returned(
                Reason(code: "worker_stopped", message: "The worker stopped before the job was done."))
        }
    }

    /// The reason of a job that is quarantined.
    package static func poison(crashes: Int, last: Reason) -> Reason {
        Reason(
            code: "poison",
            message: "The job took its worker or renderer down \(crashes) times and is quarantined. "
                + "The last time: \(last.message)")
    }
}
