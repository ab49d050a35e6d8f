import JobQueue
import Synchronization
import Telemetry

/// One attempt at one job.
final class RunningJob: Sendable {
    enum StopCause: Sendable {
        /// Somebody cancelled the job.
        case cancelled
        /// The attempt takes longer than it may.
        case deadline
        /// The worker stops and gives the job back.
        case shutdown
        /// The lease can no longer be renewed; another worker may have the job.
        case leaseLost
    }

    private enum State {
        case starting
        case running(Task<Void, Never>)
        case stopped(StopCause, Task<Void, Never>?)
    }

    let job: ClaimedJob
    let queue: String
    let trace = AttemptTrace()
    let startedAt: ContinuousClock.Instant
    private let state = Mutex(State.starting)

    init(_ job: ClaimedJob, queue: String, startedAt: ContinuousClock.Instant) {
        self.job = job
        self.queue = queue
        self.startedAt = startedAt
    }

    /// Why it was stopped, where it was.
    var cause: StopCause? {
        state.withLock { if case .stopped(let cause, _) = $0 { cause } else { nil } }
    }

    /// Lets `task` be cancelled by ``stop(_:)``; at once where that came first.
    func run(as task: Task<Void, Never>) {
        let isStopped = state.withLock { state in
            switch state {
            case .starting, .running:
                state = .running(task)
                return false
            case .stopped(let cause, _):
                state = .stopped(cause, task)
                return true
            }
        }
        if isStopped { task.cancel() }
    }

    func stop(_ cause: StopCause) {
        let task = state.withLock { state -> Task<Void, Never>? in
            switch state {
            case .starting:
                state = .stopped(cause, nil)
                return nil
            case .running(let task):
                state = .stopped(cause, task)
                return task
            // The first cause stays: a job cancelled by a person is not "given back" by a shutdown
            // that follows.
            case .stopped(_, let task): return task
            }
        }
        task?.cancel()
    }

    /// Returns when the attempt has ended.
    func ended() async {
        let task = state.withLock { state -> Task<Void, Never>? in
            switch state {
            case .starting: nil
            case .running(let task): task
            case .stopped(_, let task): task
            }
        }
        await task?.value
    }
}

/// The jobs that this process works on, and the means to stop them.
final class RunningJobs: Sendable {
    private struct State {
        var jobs: [JobID: RunningJob] = [:]
        var perQueue: [String: Int] = [:]
    }

    private let state = Mutex(State())
    /// Set under the lock, so that of two changes at once the later one is shown.
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
            // A job that was lost and claimed again is another attempt under the same number.
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

    /// Stops the attempts that have run for longer than `limit` allows for their kind.
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
