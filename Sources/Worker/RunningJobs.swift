import JobQueue
import Synchronization

/// The jobs that this process works on, and the means to stop them.
final class RunningJobs: Sendable {
    enum StopCause: Sendable {
        /// Somebody cancelled the job.
        case cancelled
        /// The worker stops and gives the job back.
        case shutdown
        /// The lease can no longer be renewed; another worker may have the job.
        case leaseLost
    }

    private struct Entry {
        let lease: Lease
        let task: Task<Void, any Error>
        var cause: StopCause?
    }

    private let entries = Mutex<[JobID: Entry]>([:])

    var count: Int { entries.withLock { $0.count } }
    var leases: [Lease] { entries.withLock { $0.values.map(\.lease) } }

    func add(_ lease: Lease, _ task: Task<Void, any Error>) {
        entries.withLock { $0[lease.job] = Entry(lease: lease, task: task, cause: nil) }
    }

    /// Why the job was stopped, where it was.
    func cause(of lease: Lease) -> StopCause? {
        entries.withLock { entries in entries[lease.job].flatMap { $0.lease == lease ? $0.cause : nil } }
    }

    func remove(_ lease: Lease) {
        entries.withLock { entries in
            if entries[lease.job]?.lease == lease { entries[lease.job] = nil }
        }
    }

    func stop(_ id: JobID, _ cause: StopCause) {
        stop(cause) { $0 == id }
    }

    func stopAll(_ cause: StopCause) {
        stop(cause) { _ in true }
    }

    private func stop(_ cause: StopCause, where matches: (JobID) -> Bool) {
        let tasks = entries.withLock { entries in
            entries.keys.filter(matches).compactMap { id -> Task<Void, any Error>? in
                // The first cause stays: a job cancelled by a person is not "given back" by a
                // shutdown that follows.
                if entries[id]?.cause == nil { entries[id]?.cause = cause }
                return entries[id]?.task
            }
        }
        for task in tasks { task.cancel() }
    }
}
