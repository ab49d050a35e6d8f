/// How often, how soon and how long a job is tried.
package struct RetryPolicy: Hashable, Sendable {
    /// Failed tries after which the job fails; at least 1.
    package var maximumFailures: Int
    /// Deaths of the renderer after which the job is quarantined; at least 1.
    package var maximumCrashes: Int
    /// The delay after the first failure.
    package var base: Duration
    /// The longest delay, including jitter.
    package var cap: Duration
    /// The random share of a delay, 0…1.
    package var jitterShare = 0.5
    /// An attempt that takes longer is stopped and counts as failed; nil for no limit.
    package var attemptDeadline: Duration? = .seconds(300)
    /// A job is not tried again once its failed attempts, and the waits after them, have taken that long; nil for no limit. Waits
    /// for something else, such as a worker or a store that is away, do not count.
    package var totalDeadline: Duration? = .seconds(7 * 86_400)

    /// How long a job is tried for which the machine has too little. A hostile photo may be what makes the machine short.
    package static let longestShortage = Duration.seconds(86_400)

    package static let standard = RetryPolicy(
        maximumFailures: 8, maximumCrashes: 3, base: .seconds(2), cap: .seconds(900))

    package init(maximumFailures: Int, maximumCrashes: Int, base: Duration, cap: Duration) {
        self.maximumFailures = max(1, maximumFailures)
        self.maximumCrashes = max(1, maximumCrashes)
        self.base = base
        self.cap = cap
    }

    /// The delay after failure number `failure` (from 1): `min(cap, base × 2^(failure − 1))`, with the
    /// share ``jitterShare`` of it scaled by `jitter` in 0…1. A share of one half is "equal jitter"
    /// (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/).
    ///
    /// Jitter spreads the retries of jobs that failed together because a disk filled or a database restarted.
    package func delay(afterFailure failure: Int, jitter: Double) -> Duration {
        let doublings = min(max(failure - 1, 0), 40)
        return jittered(min(base * (1 << doublings), cap), jitter)
    }

    private func jittered(_ whole: Duration, _ jitter: Double) -> Duration {
        whole * (1 - jitterShare * (1 - min(max(jitter, 0), 1)))
    }

    /// The outcome of an attempt that did not succeed.
    ///
    /// - Parameter jitter: a random number in 0…1.
    package func outcome(of failure: AttemptFailure, on job: ClaimedJob, jitter: Double) -> Outcome {
        switch failure {
        case .rejected(let reason):
            return .rejected(reason)
        case .mismatched(let mismatch):
            return .rejected(mismatch.rejection)
        case .systemFault(let reason):
            let failures = job.failures + 1
            if failures >= maximumFailures { return .failed(reason) }
            let delay = delay(afterFailure: failures, jitter: jitter)
            if let totalDeadline, job.tried + delay > totalDeadline {
                return .failed(Self.expired(totalDeadline, last: reason))
            }
            return .retry(reason, delay: delay)
        case .rendererDied(let reason):
            let crashes = job.crashes + 1
            return crashes >= maximumCrashes
                ? .failed(Self.poison(crashes: crashes, last: reason)) : .crashed(reason)
        case .machineShort(let reason):
            // As long again as it took so far: the waits double, and nothing is counted.
            let delay = jittered(min(max(base, job.tried), cap), jitter)
            let limit = min(totalDeadline ?? Self.longestShortage, Self.longestShortage)
            if job.tried + delay > limit { return .failed(Self.expired(limit, last: reason)) }
            return .killed(reason, delay: delay)
        case .notYet(let reason, let delay):
            return .snoozed(reason, delay: delay)
        case .away(let absence):
            // Soon, because another worker may have what this one lacks. This one claims no such jobs meanwhile.
            return .snoozed(absence.reason, delay: .seconds(1) + .seconds(2) * jitter)
        case .deadline:
            return outcome(
                of: .systemFault(
                    Reason(
                        code: "deadline",
                        message:
                            "The attempt took longer than its limit of \(attemptDeadline ?? .zero).")),
                on: job, jitter: jitter)
        case .cancelled:
            return .cancelled(Reason(code: "cancelled", message: "The job was cancelled while it ran."))
        case .shutdown:
            return .returned(
                Reason(code: "worker_stopped", message: "The worker stopped before it finished the job."))
        }
    }

    /// The reason of a job that has been tried for too long.
    static func expired(_ deadline: Duration, last: Reason) -> Reason {
        Reason(
            code: "expired",
            message:
                "The job was tried for \(deadline), with the waits between its attempts. The last failure: "
                + last.description)
    }

    /// The reason of a job that is quarantined.
    package static func poison(crashes: Int, last: Reason) -> Reason {
        Reason(
            code: "poison",
            message: "The job was quarantined because its renderer died \(crashes) times. "
                + "The last death: \(last.message)")
    }
}
