import JobQueue
import Synchronization

/// The jobs that this process works on, and the means to stop them.
final class RunningJobs: Sendable {
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

    /// One attempt at one job.
    struct Entry: Sendable {
        let job: ClaimedJob
        let queue: String
        let trace = AttemptTrace()
        let startedAt: ContinuousClock.Instant
        fileprivate(set) var cause: StopCause?
        fileprivate(set) var task: Task<Void, Never>?
    }

    private struct State {
        var entries: [JobID: Entry] = [:]
        var perQueue: [String: Int] = [:]
    }

    private let state = Mutex(State())

    var count: Int { state.withLock { $0.entries.count } }
    var entries: [Entry] { state.withLock { Array($0.entries.values) } }

    func count(in queue: String) -> Int { state.withLock { $0.perQueue[queue] ?? 0 } }

    /// Takes note of the jobs of one claim, then starts each with `start`.
    func start(
        _ jobs: [ClaimedJob], of queue: String,
        _ start: (Entry) -> Task<Void, Never>
    ) {
        let now = ContinuousClock.now
        let entries = jobs.map { Entry(job: $0, queue: queue, startedAt: now) }
        state.withLock { state in
            state.perQueue[queue, default: 0] += jobs.count
            for entry in entries { state.entries[entry.job.id] = entry }
        }
        let tasks = entries.map { ($0.job.lease, start($0)) }
        let toCancel = state.withLock { state in
            tasks.compactMap { lease, task -> Task<Void, Never>? in
                guard state.entries[lease.job]?.job.lease == lease else { return nil }
                state.entries[lease.job]?.task = task
                return state.entries[lease.job]?.cause == nil ? nil : task
            }
        }
        for task in toCancel { task.cancel() }
    }

    /// Why the job was stopped, where it was.
    func cause(of lease: Lease) -> StopCause? {
        state.withLock { state in
            state.entries[lease.job].flatMap { $0.job.lease == lease ? $0.cause : nil }
        }
    }

    func remove(_ leases: some Sequence<Lease>) {
        state.withLock { state in
            for lease in leases where state.entries[lease.job]?.job.lease == lease {
                let entry = state.entries.removeValue(forKey: lease.job)
                if let queue = entry?.queue { state.perQueue[queue, default: 0] -= 1 }
            }
        }
    }

    func stop(_ id: JobID, _ cause: StopCause) {
        stop([id], cause)
    }

    func stop(_ ids: [JobID], _ cause: StopCause) {
        let tasks = state.withLock { state in
            ids.compactMap { id -> Task<Void, Never>? in
                guard state.entries[id] != nil else { return nil }
                // The first cause stays: a job cancelled by a person is not "given back" by a
                // shutdown that follows.
                if state.entries[id]?.cause == nil { state.entries[id]?.cause = cause }
                return state.entries[id]?.task
            }
        }
        for task in tasks { task.cancel() }
    }

    func stopAll(_ cause: StopCause) {
        stop(state.withLock { Array($0.entries.keys) }, cause)
    }

    /// Stops the attempts that have run for longer than `limit` allows for their kind.
    ///
    /// - Returns: those stopped now.
    func stopOverdue(_ limit: (JobKind) -> Duration?) -> [JobID] {
        let now = ContinuousClock.now
        let overdue = entries.filter { entry in
            guard entry.cause == nil, let limit = limit(entry.job.kind) else { return false }
            return now - entry.startedAt > limit
        }.map(\.job.id)
        stop(overdue, .deadline)
        return overdue
    }
}
