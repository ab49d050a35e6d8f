import JobQueue
import Synchronization
import Telemetry

/// The jobs that this process runs. Stops them on request.
final class RunningJobs: Sendable {
    private struct State {
        var jobs: [JobID: RunningJob] = [:]
        var perQueue: [String: Int] = [:]
    }

    private let state = Mutex(State())
    /// Set under the lock, so that of two concurrent changes the later one is shown.
    private let gauge: Gauge

    init(shownBy gauge: Gauge) { self.gauge = gauge }

    var count: Int { state.withLock { $0.jobs.count } }
    var all: [RunningJob] { state.withLock { Array($0.jobs.values) } }

    func count(in queue: String) -> Int { state.withLock { $0.perQueue[queue] ?? 0 } }

    func add(_ jobs: [RunningJob], to queue: String) {
        state.withLock { state in
            state.perQueue[queue, default: 0] += jobs.count
            for job in jobs { state.jobs[job.job.id] = job }
            gauge.set(state.jobs.count)
        }
    }

    func remove(_ jobs: some Sequence<RunningJob>) {
        state.withLock { state in
            // A job that was lost and claimed again is a different attempt with the same number.
            for job in jobs where state.jobs[job.job.id] === job {
                state.jobs[job.job.id] = nil
                state.perQueue[job.queue, default: 0] -= 1
            }
            gauge.set(state.jobs.count)
        }
    }

    func stop(_ ids: some Sequence<JobID>, _ cause: RunningJob.StopCause) {
        for job in state.withLock({ state in ids.compactMap { state.jobs[$0] } }) { job.stop(cause) }
    }

    func stopAll(_ cause: RunningJob.StopCause) {
        for job in all { job.stop(cause) }
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
