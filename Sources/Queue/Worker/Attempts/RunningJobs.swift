import JobQueue
import JobStore
import Synchronization
import Telemetry

/// What this process holds under leases: the claims that are under way, and the jobs that it runs. Stops jobs on request.
final class RunningJobs: Sendable {
    private struct State {
        var jobs: [Lease: RunningJob] = [:]
        var perQueue: [String: Int] = [:]
        var lastClaim: Int64 = 0
        /// Each with why everything was stopped meanwhile, if it was: its jobs are stopped as they arrive.
        var claimsUnderWay: [ClaimToken: RunningJob.StopCause?] = [:]
        /// Claims that took jobs, or may have.
        var takings = 0
    }

    private let state = Mutex(State())
    /// Set under the lock, so that of two concurrent changes the later one is shown.
    private let gauge: Gauge

    init(shownBy gauge: Gauge) { self.gauge = gauge }

    var count: Int { state.withLock { $0.jobs.count } }
    var all: [RunningJob] { state.withLock { Array($0.jobs.values) } }
    var hasSuspect: Bool { state.withLock { $0.jobs.values.contains { $0.job.isSuspect } } }

    func has(_ id: JobID) -> Bool { state.withLock { $0.jobs.keys.contains { $0.job == id } } }

    func count(in queue: String) -> Int { state.withLock { $0.perQueue[queue] ?? 0 } }

    /// Every claim that begins must end, or no later one would ever be reviewed.
    func beginClaim(for worker: WorkerID) -> ClaimToken {
        state.withLock { state in
            state.lastClaim += 1
            let token = ClaimToken(worker, claim: state.lastClaim)
            state.claimsUnderWay.updateValue(nil, forKey: token)
            return token
        }
    }

    /// How often this process took jobs, or may have: while this number stays, there is nothing new to review.
    var takings: Int { state.withLock(\.takings) }

    /// - Parameter jobs: those that it took; nil if it failed. What the database gave to a failed claim is found by a
    ///   review.
    func endClaim(_ token: ClaimToken, with jobs: [RunningJob]?) {
        let stopped: RunningJob.StopCause? = state.withLock { state in
            let stopped = state.claimsUnderWay.removeValue(forKey: token) ?? nil
            if jobs?.isEmpty != true { state.takings += 1 }
            guard let jobs else { return nil }
            for job in jobs {
                state.jobs[job.job.lease] = job
                state.perQueue[job.queue, default: 0] += 1
            }
            gauge.set(state.jobs.count)
            return stopped
        }
        if let stopped { for job in jobs ?? [] { job.stop(stopped) } }
    }

    func remove(_ jobs: some Sequence<RunningJob>) {
        state.withLock { state in
            for job in jobs where state.jobs.removeValue(forKey: job.job.lease) != nil {
                state.perQueue[job.queue, default: 0] -= 1
            }
            gauge.set(state.jobs.count)
        }
    }

    /// What `worker` says about its leases now.
    func statement(of worker: WorkerID) -> LeaseStatement {
        state.withLock { state in
            let last = ClaimToken(worker, claim: state.lastClaim)
            let open = state.claimsUnderWay.keys.lazy.filter { $0.worker == worker }.min()
            return LeaseStatement(
                worker: worker, upTo: open.map { ClaimToken(rawValue: $0.rawValue - 1) } ?? last,
                running: state.jobs.values.filter { $0.job.lease.worker == worker }
                    .map { ($0.job.lease, $0.trace.stage) })
        }
    }

    func stop(_ leases: some Sequence<Lease>, _ cause: RunningJob.StopCause) {
        for job in state.withLock({ state in leases.compactMap { state.jobs[$0] } }) { job.stop(cause) }
    }

    func stopAll(_ cause: RunningJob.StopCause) {
        let jobs = state.withLock { state in
            for token in state.claimsUnderWay.keys { state.claimsUnderWay[token] = .some(cause) }
            return Array(state.jobs.values)
        }
        for job in jobs { job.stop(cause) }
    }

    /// Stops the attempts that have run longer than the `limit` of their kind.
    ///
    /// - Returns: those stopped now.
    func stopOverdue(_ limit: (JobKind) -> Duration?) -> [RunningJob] {
        let now = ContinuousClock.now
        let overdue = all.filter { job in
            guard let limit = limit(job.job.kind), job.cause == nil else { return false }
            return now - job.startedAt > limit
        }
        for job in overdue { job.stop(.deadline) }
        return overdue
    }
}
