import JobQueue
import JobStore
import Synchronization
import Telemetry

/// One attempt at one job.
final class RunningJob: Sendable {
    enum StopCause: Sendable {
        /// Somebody cancelled the job.
        case cancelled
        /// The attempt has exceeded its time limit.
        case deadline
        /// The worker stops and returns the job.
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

    /// Why it was stopped; nil if it was not.
    var cause: StopCause? {
        state.withLock { if case .stopped(let cause, _) = $0 { cause } else { nil } }
    }

    /// Lets ``stop(_:)`` cancel `task`; cancels it at once if ``stop(_:)`` came first.
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
            // The first cause stays: a shutdown must not return a job that a person has cancelled.
            case .stopped(_, let task): return task
            }
        }
        task?.cancel()
    }
}

extension RunningJob {
    /// The fields of every log line about the attempt.
    var logFields: Log.Fields { job.logFields(trace) }
}
